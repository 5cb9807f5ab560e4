/** Whether a program that we started is healthy: it listens at its address itself, and answers there with 200. */
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { isListening } from './port.ts'
import type { Listening } from './port.ts'

const PATH = '/health'
const ANSWER_WAIT_MS = 1_000

/**
 * Asks a program for its health. The answer of another process at the address does not count, where the system shows
 * which process listens.
 * @param pid of the program
 */
export async function isHealthy(where: Listening, pid: number): Promise<boolean> {
  if ('socketPath' in where && !existsSync(where.socketPath)) return false
  // Asked first: until there is an answer, it is cheaper than the kernel's list of sockets.
  return (await answers(where)) && isListening(where, pid) !== false
}

function answers(where: Listening): Promise<boolean> {
  const at = 'port' in where ? { host: '127.0.0.1', port: where.port } : where
  return new Promise((resolve) => {
    const asked = request({ ...at, path: PATH, timeout: ANSWER_WAIT_MS }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
    asked.on('timeout', () => asked.destroy())
    asked.end()
  })
}
