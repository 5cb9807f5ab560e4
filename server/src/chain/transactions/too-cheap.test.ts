/**
 * A chain that has become dearer than what waits in line: nothing behind the head may keep the others from their step.
 */
import { carriesStopped } from '../../pay-out/withdrawals/index.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { AccountChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { insertPlanned } from './commands.ts'
import { createSendingJob } from './jobs.ts'
import { DEFAULT_POLICY } from './policy.ts'

const { db } = useDb()
const START = Date.UTC(2026, 0, 1)
const MOST = 20

test('a transaction that the node finds too cheap is not sent again and again while another waits before it', async () => {
  const runtime = createTestRuntime(db, () => START)
  const id = randomUUID()
  await inTransaction(db, (tx) =>
    insertPlanned(
      tx,
      {
        id,
        network: 'ETHEREUM',
        purpose: 'filler',
        senders: ['hot'],
        nonce: 7,
        keys: ['hot:7'],
        unsigned: '0x02',
        signingKeys: [],
        feeRate: {},
        networkFee: 1n,
      },
      momentOf(runtime),
    ),
  )
  await sql`update outgoing set state = 'signed' where id = ${id}`.execute(db)
  await sql`update outgoing_attempts set raw = '0x02', hash = '0xaa' where outgoing_id = ${id}`.execute(db)
  let broadcasts = 0
  const adapter = {
    network: 'ETHEREUM',
    broadcast: async () => {
      broadcasts += 1
      if (broadcasts > MOST) throw new Error('again and again')
      return { kind: 'refused', reason: 'fee-too-low', message: 'max fee per gas less than block base fee' }
    },
    minedNonce: async () => 6,
  } as unknown as AccountChainAdapter
  const job = createSendingJob({
    runtime,
    network: 'ETHEREUM',
    adapter,
    policy: DEFAULT_POLICY,
    subscribers: [],
    carriesStopped,
    pause: async () => {},
    signer: undefined as never,
    wallet: undefined as never,
    purposeOf: async () => ({ purpose: 'filler', intents: [] }),
  })
  await job.run(new AbortController().signal)
  expect(broadcasts).toBe(1)
  const { rows } = await sql<{
    due: Date
    attempt: number
  }>`select next_step_at as due, attempt from outgoing where id = ${id}`.execute(db)
  expect(rows[0]!.attempt).toBe(1)
  expect(rows[0]!.due.getTime()).toBeGreaterThan(START)
})
