import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../http/refusal.ts'

/** A role that is paused or busy may answer late. */
const LONGEST_WAIT_MS = 30_000
const ANSWER_WAIT_MS = 2_000
const PAUSE_MS = 10

/**
 * Waits until each role that runs uses an offset of the business clock, or a later one. A role that does not run reads
 * the offset when it starts. Throws a Refusal when a role does not follow within the time.
 * @param ports of the roles' inner servers
 * @param offsetMs the offset in the database
 * @param longestMs ms
 */
export async function untilShown(
  ports: readonly number[],
  offsetMs: number,
  longestMs: number = LONGEST_WAIT_MS,
): Promise<void> {
  const deadline = performance.now() + longestMs
  await Promise.all(
    ports.map(async (port) => {
      while (await isBehind(port, offsetMs)) {
        if (performance.now() > deadline)
          throw new Refusal(`the clock was moved, but the role with the inner port ${port} does not follow`, {
            status: 503,
            code: 107,
          })
        await sleep(PAUSE_MS)
      }
    }),
  )
}

/** Whether a role runs, and has not shown the offset. */
function isBehind(port: number, offsetMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/business-clock', timeout: ANSWER_WAIT_MS }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (text += chunk))
      answer.on('error', () => resolve(true))
      answer.on('end', () => resolve(answer.statusCode !== 200 || (JSON.parse(text) as Shown).offsetMs < offsetMs))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
    asked.on('timeout', () => asked.destroy(new Error('no answer')))
    asked.end()
  })
}

interface Shown {
  offsetMs: number
}
