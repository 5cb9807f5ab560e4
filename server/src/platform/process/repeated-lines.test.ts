import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

/** A log, and the lines that it has written since the last question. */
const opened = () => {
  const lines: Record<string, unknown>[] = []
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  return { log: createLog('info', 'worker', to), written: () => lines.splice(0) }
}

const refused = (at = 'signer.sock'): Error =>
  Object.assign(new Error(`connect ECONNREFUSED ${at}`), { name: 'SignerUnavailable' })

test('a failure is logged once, then once a minute with the number of its repetitions, and when it is over', () => {
  const { log, written } = opened()
  for (let i = 0; i < 600; i += 1) {
    log.warn(
      { err: refused(), outgoing: `01a21aec-7537-7eed-93d0-${i.toString(16).padStart(12, '0')}` },
      'a step failed',
    )
    vi.advanceTimersByTime(100)
  }
  expect(written()).toMatchObject([
    { level: 40, outgoing: '01a21aec-7537-7eed-93d0-000000000000', msg: 'a step failed' },
    { level: 40, outgoing: '01a21aec-7537-7eed-93d0-000000000257', msg: 'a step failed', repeated: 599 },
  ])
  vi.advanceTimersByTime(MINUTE)
  expect(written()).toMatchObject([{ level: 30, failure: 'a step failed', times: 600, msg: 'a failure is over' }])
  log.warn({ err: refused() }, 'a step failed')
  expect(written()).toHaveLength(1)
  vi.advanceTimersByTime(10 * MINUTE)
  expect(written()).toEqual([])
})

test('failures with different texts, jobs or causes are logged on their own, numbers and ids aside', () => {
  const { log, written } = opened()
  const caused = (text: string): Error => new Error('planning failed', { cause: new Error(text) })
  log.warn({ err: refused() }, 'one')
  log.warn({ err: refused() }, 'another')
  log.child({ job: 'first' }).error({ err: refused() }, 'job failed')
  log.child({ job: 'second' }).error({ err: refused() }, 'job failed')
  log.error({ err: caused('no peer') }, 'one')
  log.error({ err: caused('no block 17') }, 'one')
  expect(written()).toHaveLength(6)
  log.child({ job: 'second' }).error({ err: refused() }, 'job failed')
  log.error({ err: caused('no block 18') }, 'one')
  expect(written()).toEqual([])
})

test('lines about requests, lines without an error, and lines below a warning are all written', () => {
  const { log, written } = opened()
  for (let i = 0; i < 3; i += 1) {
    log.error({ err: refused(), requestId: `r-${i}` }, 'a request failed')
    log.warn({ network: 'TRON' }, 'no estimate')
    log.info({ err: refused() }, 'done')
    log.warn('plain')
  }
  expect(written()).toHaveLength(12)
})
