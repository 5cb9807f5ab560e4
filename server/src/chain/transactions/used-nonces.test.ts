/** A nonce that an authorisation has used, which no transaction of a block shows (EIP-7702). */
import { carriesStopped } from '../../pay-out/withdrawals/index.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { SECOND_SEED } from '@bursar/chainkit'
import { depositAddress, knowHotAddresses, noteStolenSeed } from '../addresses/index.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { useDb } from '../../../../test/world/database.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import type { AccountChainAdapter } from '../../adapters/chains/port.ts'
import type { SignedTransaction } from '../../adapters/signer/port.ts'
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
const run = async (
  minedNonceIn: AccountChainAdapter['minedNonceIn'],
  { signed = [], mined = [] }: { signed?: Partial<SignedTransaction>[]; mined?: string[] } = {},
) => {
  const changes: Partial<OutgoingChange>[] = []
  await createSupersededJob(
    {
      runtime: runtime(),
      network: 'ETHEREUM',
      adapter: {
        network: 'ETHEREUM',
        minedNonceIn,
        statusOf: async (hash: string) => ({ kind: mined.includes(hash) ? 'mined' : 'unknown' }),
      } as unknown as AccountChainAdapter,
      policy: DEFAULT_POLICY,
      subscribers: [
        async (_tx, { event, superseded }) => (changes.push({ event, superseded: superseded! }), noEffects),
      ],
      carriesStopped,
      pause: async () => {},
      signer: { transactionsOf: async () => signed } as never,
      wallet: undefined as never,
      purposeOf: async ({ purpose }) => ({ purpose, intents: purpose === 'payout' ? [{ id: 'intent' }] : [] }) as never,
    },
    1,
  ).run(new AbortController().signal)
  const { rows } = await sql<{ state: string; open: boolean }>`select o.state, a.resolved_at is null as open
    from outgoing o join alerts a on a.subject = o.id::text and a.kind = 'broadcast' where o.id = ${id}`.execute(db)
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

const stealSeed = async (): Promise<void> => {
  const hot = (address: string, index: number) => ({ family: 'EVM' as const, address, index })
  await knowHotAddresses(db, 0, [hot(HOT, 0), hot('new hot', SECOND_SEED)], new Date(START))
  await noteStolenSeed(db, new Date(START))
}
const ours: Partial<SignedTransaction> = { hash: '0xaa', network: 'ETHEREUM', conflictKeys: [`1:${HOT}:0`] }
const kinds = async (): Promise<string[]> =>
  (
    await sql<{
      kind: string
    }>`select kind from alerts where subject = ${id} and resolved_at is null order by 1`.execute(db)
  ).rows.map(({ kind }) => kind)

test.each<[Purpose, string]>([
  ['payout', HOT],
  ['rebalance', HOT],
  ['filler', HOT],
  ['sweep', HOT],
  ['gas', HOT],
])('when the first seed is stolen, a %s of its %s address ends, with an alert', async (purpose, sender) => {
  await stealSeed()
  await insert(purpose, sender)
  now = LATER
  expect(await run(async () => 0)).toEqual(WAITS)
  expect(await run(async () => 1, { signed: [ours] })).toMatchObject({
    changes: [{ event: 'refused', superseded: { paid: new Set() } }],
    state: 'abandoned',
  })
  expect(await kinds()).toEqual(['overtaken'])
})

test.each([
  [
    'another transaction, with another nonce, was signed for it',
    { signed: [{ ...ours, conflictKeys: [`1:${HOT}:7`] }] },
  ],
  ['the signer does not know our transaction', { signed: [] }],
  ['the node knows one as mined', { signed: [ours], mined: ['0xaa'] }],
])('a payment of a stolen seed waits when %s', async (_name, world) => {
  await stealSeed()
  await insert('payout', HOT)
  now = LATER
  expect(await run(async () => 1, world)).toEqual(WAITS)
  expect(await kinds()).toEqual(['broadcast', 'overtaken-unclear'])
})
