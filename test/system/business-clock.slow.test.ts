/** The control server of a sandbox moves the business clock of every role before it answers. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordedProcess } from '../../sandbox/process/record.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
const offset = async (): Promise<number> =>
  (await sandbox.query<{ offset: number }>('select offset_ms::float8 as offset from business_clock'))[0]!.offset

test('the clock control answers only when a role that was paused uses the new time', async () => {
  const before = await offset()
  const { pid } = recordedProcess(join(sandbox.dir, 'api.process.json'))!
  const answered: string[] = []
  process.kill(pid, 'SIGSTOP')
  let moved: Promise<unknown>
  try {
    moved = sandbox.advance(60_000).then(() => answered.push('clock'))
    await expect.poll(offset, { timeout: 60_000 }).toBe(before + 60_000)
    // A later request of the same server: the answer about the clock would have come before it.
    await fetch(`${sandbox.description.control}/rates`).then(() => answered.push('rates'))
    await fetch(`${sandbox.description.control}/rates`).then(() => answered.push('rates'))
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await moved
  expect(answered).toEqual(['rates', 'rates', 'clock'])
})
