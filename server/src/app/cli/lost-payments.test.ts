/** Withdrawals that equal a payment which a restored copy lacks. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { attachIn, catalogue, createPayoutWorld, STRANGER, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { evmRequest } from '../../../../test/world/signer.ts'
import {
  decideRepeat,
  giveBack,
  intentIdOf,
  listLost,
  listRepeats,
  type Withdrawal,
} from '../../pay-out/withdrawals/index.ts'
import { recordRestore } from '../../platform/runtime/restores.ts'
import { acceptRestored } from './acceptance.ts'
import { groupLost, placesOf } from './lost-payments.ts'
import { replaySignerLog, WHOLE_LOG } from './replay.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
beforeEach(async () => {
  world = await createPayoutWorld(database.url)
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})
const UNITS = 1_000_000n

/** The signer has signed a payment that the copy lacks. */
const signLost = async (intentId: string = randomUUID(), nonce = 0n, fee?: bigint): Promise<string> => {
  const intent = { id: intentId, asset: 'USDT', to: STRANGER, units: UNITS.toString() }
  await world.made.signer.sign(evmRequest(intent, { nonce, ...(fee !== undefined && { maxFeePerGas: fee }) }))
  return intentId
}
const deps = () => ({
  runtime: world.runtime,
  catalogue,
  signer: world.signer,
  attach: (key: Key) => attachIn(world, key),
})
type Key = { merchantId: string; id: string }
const replay = () => replaySignerLog(deps(), WHOLE_LOG)
const decide = (id: string, decision: 'same' | 'new') => decideRepeat(deps(), id, decision, 'operator')
const heldIds = async () => (await listRepeats(world.db)).map(({ withdrawalId }) => withdrawalId)
const ask = (more: Partial<Withdrawal> = {}, units = UNITS) => world.request(units, more)
const statesOf = (ids: readonly string[]) => Promise.all(ids.map((id) => world.stateOf(id)))
/** How often the signer has signed the payment, by its log. */
const signedLines = async () => (await replay()).lines
const openKinds = async () => (await world.alerts()).map(({ kind }) => kind)

test('C10 a lost payment holds one equal withdrawal, which was requested later; others are paid', async () => {
  const older = await ask()
  world.later(5_000)
  await signLost()
  const other = await ask({}, UNITS + 1n)
  const [first, second] = [await ask({ merchantId: world.merchantId }), await ask()]
  await replay()
  expect(await heldIds()).toEqual([first])
  await world.work(3)
  expect(await statesOf([older, other, first, second])).toEqual(['sent', 'sent', 'requested', 'sent'])
  expect((await world.alerts()).filter(({ kind }) => kind === 'withdrawal-repeats-lost')).toMatchObject([
    { subject: first, text: expect.stringContaining(`bursar restored same ${first}`) as string },
  ])
})

test('C10 a withdrawal that is requested after the acceptance is held before it is planned, for 30 days', async () => {
  await signLost()
  await sql`delete from alerts`.execute(world.db)
  await recordRestore(world.db as never, WHOLE_LOG, new Date())
  await replay()
  expect(await acceptRestored(world.runtime, 'compared')).toBe(1)
  const id = await ask()
  await world.work(2)
  expect(await heldIds()).toEqual([id])
  expect(await decide(id, 'new')).toBe('waits')
  await world.work(2)
  expect(await world.stateOf(id)).toBe('sent')
  const next = await ask()
  await world.work(2)
  expect(await world.stateOf(next)).toBe('sent')
  await signLost(randomUUID(), 9n)
  await replay()
  world.later(31 * 86_400_000)
  const late = await ask()
  await world.work(2)
  expect(await world.stateOf(late)).toBe('sent')
})

test('C10 the same payment is attached, and nothing is signed again', async () => {
  const intentId = await signLost()
  const id = await ask()
  await replay()
  await expect(attachIn(world, { merchantId: world.merchantId, id })).rejects.toThrow('bursar restored same')
  const handed: string[] = []
  world.node.broadcast = (raw) => (handed.push(raw), { kind: 'accepted' })
  expect(await decide(id, 'same')).toBe('attached')
  expect(await openKinds()).toEqual(['payments-lost'])
  const lines = await signedLines()
  await world.work(2)
  expect([await world.stateOf(id), new Set(handed).size]).toEqual(['sent', 1])
  expect(await signedLines()).toBe(lines)
  expect(await world.signer.transactionsOf(intentId)).toHaveLength(1)
  expect(await listLost(world.db)).toEqual([])
  expect(await openKinds()).toEqual([])
  await expect(decide(id, 'same')).rejects.toThrow('bursar restored held')
})

test('C10 a decision that was interrupted before the transaction was attached is completed by the next comparison', async () => {
  await signLost()
  const id = await ask()
  await replay()
  const dies = { ...deps(), attach: () => Promise.reject(new Error('killed')) }
  await expect(decideRepeat(dies, id, 'same', 'operator')).rejects.toThrow('killed')
  await world.work(2)
  expect([await world.stateOf(id), await openKinds()]).toEqual([
    'requested',
    expect.arrayContaining(['withdrawal-signed-before']),
  ])
  expect(await replay()).toMatchObject({ attached: [id], lost: [] })
})

test('C10 a held withdrawal is free when the merchant repeats the lost payment by its localId', async () => {
  const intentId = await signLost(intentIdOf(world.merchantId, 'id:7'))
  const equal = await ask()
  await replay()
  expect(await heldIds()).toEqual([equal])
  const named = await ask({ intentId })
  await world.work()
  expect(await replay()).toMatchObject({ attached: [named] })
  expect(await heldIds()).toEqual([])
  expect(await openKinds()).not.toContain('withdrawal-repeats-lost')
  await world.work(3)
  expect(await statesOf([equal, named])).toEqual(['sent', 'sent'])
})

test('C10 a request with the localId of the lost payment is not held: it is attached', async () => {
  const intentId = await signLost(intentIdOf(world.merchantId, 'id:7'))
  await replay()
  const named = await ask({ intentId })
  await world.work(2)
  expect([await heldIds(), await world.stateOf(named)]).toEqual([[], 'requested'])
  expect(await openKinds()).toContain('withdrawal-signed-before')
  expect(await replay()).toMatchObject({ attached: [named] })
})

test('C10 a held withdrawal can be given up; the lost payment then holds the next one', async () => {
  await signLost()
  const first = await ask()
  await replay()
  expect(await giveBack(deps(), { merchantId: world.merchantId, id: first })).toEqual({ kind: 'given-back' })
  expect(await openKinds()).not.toContain('withdrawal-repeats-lost')
  const next = await ask()
  await world.work()
  expect([await world.stateOf(first), await heldIds()]).toEqual(['failed', [next]])
})

test.each(['same', 'new'] as const)(
  'C10 a second request that names the lost payment by its localId waits, and is decided as %s',
  async (decision) => {
    const intentId = await signLost(intentIdOf(world.merchantId, 'id:7'))
    const first = await ask()
    await replay()
    await decide(first, 'same')
    const second = await ask({ intentId })
    await world.work(3)
    expect(await statesOf([first, second])).toEqual(['sent', 'requested'])
    expect((await world.alerts()).map(({ kind, subject }) => [kind, subject])).toContainEqual([
      'withdrawal-signed-before',
      second,
    ])
    const before = await world.available('USDT')
    expect(await decide(second, decision)).toBe(decision === 'same' ? 'given-back' : 'waits')
    await world.work(3)
    expect(await world.stateOf(second)).toBe(decision === 'same' ? 'failed' : 'sent')
    expect((await world.available('USDT')) > before).toBe(decision === 'same')
  },
)

test('a lost payment is shown once, with the block of each transaction that was signed for it', async () => {
  const intentId = await signLost()
  await signLost(intentId, 0n, 23n * 10n ** 9n)
  const { lost } = await replay()
  expect(lost).toHaveLength(2)
  const [group, ...more] = groupLost(lost)
  expect([more, group!.lines.length, group!.intentId]).toEqual([[], 2, intentId])
  const [older, newer] = lost.map(({ hash }) => hash)
  const statusOf = async (hash: string) => {
    if (hash === older) return { kind: 'unknown' as const }
    return { kind: 'mined' as const, height: 95, blockHash: 'h', succeeded: true, fee: 1n }
  }
  const [placed] = await placesOf(world.db, [group!], new Map([['ETHEREUM', { statusOf }]]))
  expect(placed!.places).toEqual(
    new Map([
      [older, 'in no block'],
      [newer, 'in final block 95'],
    ]),
  )
})
