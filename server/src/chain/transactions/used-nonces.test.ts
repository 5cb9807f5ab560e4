/** A nonce that an authorisation has used, which no transaction of a block shows (EIP-7702). */
import { carriesStopped } from '../../pay-out/withdrawals/index.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { depositAddress } from '../addresses/index.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { useDb } from '../../../../test/world/database.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import type { AccountChainAdapter } from '../../adapters/chains/port.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { insertPlanned } from './commands.ts'
import { createSupersededJob } from './jobs-superseded.ts'
import { DEFAULT_POLICY } from './policy.ts'
import type { OutgoingChange, Purpose } from './transaction.ts'

const { db } = useDb()
const START = Date.UTC(2026, 0, 1)
const LATER = START + DEFAULT_POLICY.bumpAfterMs
const FINAL = { height: 90, hash: 'a90' }
const HOT = 'hot'
/** The first address that is given out. */
const DEPOSIT = depositAddress(TEST_KEYS, 'EVM', 0)
let now = START
let id: string

const runtime = () => createTestRuntime(db, () => now)

const insert = async (purpose: Purpose, sender: string): Promise<void> => {
  id = randomUUID()
  const [nonce, keys] = [0, [`${sender}:0`]]
  const row = { id, network: 'ETHEREUM', purpose, senders: [sender], nonce, keys, unsigned: '0x02' } as const
  await inTransaction(db, (tx) =>
    insertPlanned(tx, { ...row, keys, signingKeys: [], feeRate: {}, networkFee: 1n }, momentOf(runtime())),
  )
  await sql`update outgoing set state = 'broadcast' where id = ${id}`.execute(db)
  await sql`update outgoing_attempts set raw = '0x02', hash = '0xaa' where outgoing_id = ${id}`.execute(db)
  await raiseAlert(db, { kind: 'broadcast', subject: id, text: 'nonce too low' }, momentOf(runtime()))
}

beforeEach(async () => {
  await emptyTables(db)
  now = START
  await giveAddress(runtime(), TEST_KEYS, { merchantId: randomUUID(), blockchain: 'ETHEREUM' })
  await readEmptyBlocks(runtime(), 'ETHEREUM', { height: 100, final: FINAL.height })
})

/** @returns what subscribers were notified of, the state, and whether the alert is open */
const run = async (minedNonceIn: AccountChainAdapter['minedNonceIn']) => {
  const changes: Partial<OutgoingChange>[] = []
  await createSupersededJob(
    {
      runtime: runtime(),
      network: 'ETHEREUM',
      adapter: { network: 'ETHEREUM', minedNonceIn } as unknown as AccountChainAdapter,
      policy: DEFAULT_POLICY,
      subscribers: [
        async (_tx, { event, superseded }) => (changes.push({ event, superseded: superseded! }), noEffects),
      ],
      carriesStopped,
      pause: async () => {},
      signer: undefined as never,
      wallet: undefined as never,
      purposeOf: async () => ({ purpose: 'sweep', intents: [] }),
    },
    1,
  ).run(new AbortController().signal)
  const { rows } = await sql<{ state: string; open: boolean }>`select o.state, a.resolved_at is null as open
    from outgoing o join alerts a on a.subject = o.id::text where o.id = ${id}`.execute(db)
  return { changes, ...rows[0]! }
}

test('a sweep that can never be mined ends, and its alert with it', async () => {
  await insert('sweep', DEPOSIT)
  now = LATER
  const asked: unknown[] = []
  expect(await run(async (...of) => (asked.push(of), 1))).toEqual({
    changes: [{ event: 'refused', superseded: { paid: new Set() } }],
    state: 'abandoned',
    open: false,
  })
  expect(asked).toEqual([[FINAL, DEPOSIT]])
})

const WAITS = { changes: [], state: 'broadcast', open: true }

test('one whose nonce is unused at the final block waits', async () => {
  await insert('sweep', DEPOSIT)
  now = LATER
  expect(await run(async () => 0)).toEqual(WAITS)
})

test('a young one is not queried', async () => {
  await insert('sweep', DEPOSIT)
  now = LATER - 1
  expect(await run(async () => 1)).toEqual(WAITS)
})

test.each<[Purpose, string]>([
  ['payout', DEPOSIT],
  ['sweep', HOT],
  ['gas', HOT],
])('a %s of the %s address is not ended so', async (purpose, sender) => {
  await insert(purpose, sender)
  now = LATER
  expect(await run(async () => 1)).toEqual(WAITS)
})

test('a final block that is lost while the node is asked proves nothing', async () => {
  await insert('sweep', DEPOSIT)
  now = LATER
  const lose = async () => {
    await sql`update watch_blocks set hash = 'another'`.execute(db)
    return 1
  }
  expect(await run(lose)).toEqual(WAITS)
})
