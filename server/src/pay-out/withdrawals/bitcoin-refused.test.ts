/** Bitcoin payments that the node's pool refuses: each is found before its batch is stored, and the others go on. */
import { isRefused } from '@bursar/chainkit'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { BroadcastResult } from '../../adapters/chains/port.ts'
import { createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const HOUR = 3_600_000

/** Units of the outputs of a transaction. */
const paidBy = (raw: string): bigint[] => {
  const parsed = parseTransaction(Buffer.from(raw, 'hex'))
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed.outputs.map(({ units }) => units)
}
/**
 * A pool with rules of its own, which judges what is asked about as it judges what is handed over, save for signatures,
 * as `testmempoolaccept` of Bitcoin Knots 29.4.3 does (adapters/chains/bitcoin/judging.system.test.ts).
 */
const openWith = async (rule: (units: readonly bigint[]) => BroadcastResult): Promise<{ handed: bigint[][] }> => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
  const handed: bigint[][] = []
  world.node.wouldTake = (raw) => rule(paidBy(raw))
  world.node.broadcast = (raw) => {
    const answer = rule(paidBy(raw))
    if (answer.kind === 'accepted') handed.push(paidBy(raw))
    return answer
  }
  await world.coins(10, 5_000_000n)
  return { handed }
}
const signedCount = async (): Promise<number> =>
  (await sql`select from outgoing_attempts where raw is not null`.execute(world.db)).rows.length
const stateOfAll = (ids: readonly string[]): Promise<string[]> => Promise.all(ids.map((id) => world.stateOf(id)))

/** Bitcoin Knots 29 with `-dustrelayfee=0.0003`: an output to P2WPKH is dust below 2,940 satoshi. */
const dearDust = (units: readonly bigint[]): BroadcastResult =>
  units.some((one) => one < 2_940n)
    ? { kind: 'refused', reason: 'invalid', message: 'dust-nonanchor' }
    : { kind: 'accepted' }

test("audit D-B8, row B-12: dust by the node's own rate leaves its batch and is given back, and the others are paid", async () => {
  const { handed } = await openWith(dearDust)
  const before = await world.available('BTC')
  const small = await world.request(1_000n)
  const others: string[] = []
  for (let i = 0; i < 4; i += 1) others.push(await world.request(100_000n))
  await world.work(3)
  expect([await world.stateOf(small), await stateOfAll(others)]).toEqual(['failed', ['sent', 'sent', 'sent', 'sent']])
  expect([handed.length, await signedCount()]).toEqual([1, 1])
  expect(before - (await world.available('BTC'))).toBe(4n * (100_000n + 1_000n))
  expect(await world.alerts()).toMatchObject([
    { kind: 'withdrawal-impossible', subject: small, text: expect.stringContaining('dust-nonanchor') as string },
  ])
})

test('audit D-B8: a withdrawal that is given back is never signed', async () => {
  await openWith(dearDust)
  const small = await world.request(1_000n)
  await world.work(2)
  expect(await world.stateOf(small)).toBe('failed')
  expect(await world.signer.closeIntent(small)).toEqual([])
})

test('audit D-B8: a payment that the node refuses for another reason waits with an alert, and the others are paid', async () => {
  const { handed } = await openWith((units) =>
    units.includes(77_777n)
      ? { kind: 'refused', reason: 'invalid', message: 'bad-output-of-tomorrow' }
      : { kind: 'accepted' },
  )
  const odd = await world.request(77_777n)
  const other = await world.request(100_000n)
  await world.work(20)
  expect([await world.stateOf(odd), await world.stateOf(other), handed.length]).toEqual(['requested', 'sent', 1])
  expect(await world.alerts()).toMatchObject([
    { kind: 'payout-refused', subject: odd, text: expect.stringContaining('bad-output-of-tomorrow') as string },
  ])
  world.node.wouldTake = () => ({ kind: 'accepted' })
  world.node.broadcast = () => ({ kind: 'accepted' })
  await world.work(2, 301_000)
  expect([await world.stateOf(odd), await world.alerts()]).toEqual(['sent', []])
})

test('audit D-B8: payments that only together are too much for the node go with several transactions', async () => {
  const { handed } = await openWith((units) =>
    units.length > 3 ? { kind: 'refused', reason: 'invalid', message: 'tx-size' } : { kind: 'accepted' },
  )
  const all: string[] = []
  for (let i = 0; i < 5; i += 1) all.push(await world.request(100_000n))
  await world.work(5)
  expect([new Set(await stateOfAll(all)), handed.every((units) => units.length <= 3)]).toEqual([
    new Set(['sent']),
    true,
  ])
})

test('audit D-B8, rows B-1 and B-6: a payment refused for now by the node waits unsigned, with an alert if that lasts', async () => {
  await openWith(() => ({
    kind: 'refused',
    reason: 'later',
    message: 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
  }))
  const id = await world.request(100_000n)
  await world.work(3)
  expect([await world.stateOf(id), await signedCount(), await world.alerts()]).toEqual(['requested', 0, []])
  await world.work(1, HOUR)
  expect(await world.alerts()).toMatchObject([{ kind: 'payout-refused', subject: 'BITCOIN/BTC' }])
  world.node.wouldTake = () => ({ kind: 'accepted' })
  world.node.broadcast = () => ({ kind: 'accepted' })
  await world.work(2)
  expect([await world.stateOf(id), await world.alerts()]).toEqual(['sent', []])
})

test('audit D-B8: a fee that has become too low is no reason to leave a withdrawal out', async () => {
  await openWith(() => ({ kind: 'accepted' }))
  world.node.wouldTake = () => ({
    kind: 'refused',
    reason: 'fee-too-low',
    message: 'mempool min fee not met, 282 < 1410',
  })
  const id = await world.request(100_000n)
  await world.work(1)
  expect(await world.stateOf(id)).toBe('sent')
})
