import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { listSanctions, screenAll, screeningBy } from '../../../../test/world/screening.ts'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { placeWithdrawal } from '../../../../test/world/withdrawal.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { auditLedger, balancesOf } from '../../ledger/postings/index.ts'
import { createAdmission, createFrozenBy } from '../../app/composition/screening.ts'
import { grantCapital } from '../../treasury/reconciliation/index.ts'
import { tronCatalogue as catalogue, TRON_USDT as USDT } from '../../../../test/world/tron.ts'
import { findById, type Withdrawal } from '../../pay-out/withdrawals/index.ts'
import { findScreening, listOpen, type ScreeningRules } from './index.ts'
import { claimScreening } from './store.ts'

const { db } = useDb()
const MINUTE = 60_000
let now = Date.UTC(2026, 10, 21)
let merchantId: string
const newId = () => uuidv7(now, randomBytes(10))
const moment = () => ({ at: new Date(now), newId })
const runtime = () => createTestRuntime(db, () => now)

beforeEach(async () => {
  await emptyTables(db)
  merchantId = randomUUID()
  await inTransaction(db, (tx) => grantCapital(tx, { merchantId, asset: 'TRX', units: 1_000n }, moment()))
})

const listBad = () => listSanctions(db, 'TRX', ['TBad'], moment())
const screen = (whenUnanswered: ScreeningRules['whenUnanswered'] = 'hold') =>
  screenAll(runtime(), catalogue, { screening: screeningBy({ whenUnanswered }) })
const admit = async (withdrawal: Withdrawal, when: ScreeningRules['whenUnanswered'] = 'hold') =>
  (await createAdmission({ runtime: runtime(), screening: screeningBy({ whenUnanswered: when }) })([withdrawal]))
    .length === 1
const available = async () => {
  const [balance] = await balancesOf(db, 'merchant', [{ merchantId, asset: 'TRX' }])
  return balance!.posted - balance!.held
}
const statuses = async () =>
  (
    await sql<{
      status: string
      body: string
    }>`select status, body from events where merchant_id = ${merchantId} order by sequence`.execute(db)
  ).rows
/** A withdrawal with its hold, as the api leaves it. */
const request = (to: string) =>
  placeWithdrawal(runtime(), { merchantId, ticker: 'TRX', blockchain: 'TRON', to, units: 100n, fee: 1n })

test('one judgement is claimed at a time, however the database plans the statement', async () => {
  for (const to of ['TA', 'TB', 'TC']) await admit(await request(to))
  await inTransaction(db, async (tx) => {
    for (const plan of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material'])
      await sql.raw(`set local enable_${plan} = off`).execute(tx)
    await claimScreening(tx, { at: new Date(now), now: new Date(now), leaseUntil: new Date(now + MINUTE) })
  })
  expect(
    (await sql<{ attempts: number }>`select attempts from screenings order by 1`.execute(db)).rows.map(
      ({ attempts }) => attempts,
    ),
  ).toEqual([0, 0, 1])
})

describe('a withdrawal, once screening is on', () => {
  test('goes when its destination is clean, and not before', async () => {
    await listBad()
    const w = await request('TGood')
    expect([await admit(w), await admit(w)]).toEqual([false, false])
    await screen()
    expect(await admit(w)).toBe(true)
    expect([(await findById(db, merchantId, w.id))!.state, await statuses()]).toEqual(['requested', []])
    expect(await findScreening(db, 'withdrawal', merchantId, w.id)).toMatchObject({
      state: 'clean',
      subject: { network: 'TRON', direction: 'withdrawal', others: ['TGood'] },
    })
  })

  test('to a listed address is Failed with AML_REJECTED, once, and the money is back', async () => {
    await listBad()
    const before = await available()
    const w = await request('TBad')
    expect(await available()).toBe(before - 101n)
    await admit(w)
    await screen()
    await screen()
    expect(await admit(w)).toBe(false)
    expect(await available()).toBe(before)
    expect(await findById(db, merchantId, w.id)).toMatchObject({ state: 'failed', failReason: 'AML_REJECTED' })
    const notified = await statuses()
    expect(notified.map(({ status }) => status)).toEqual(['Failed'])
    expect(JSON.parse(notified[0]!.body)).toMatchObject({ id: w.id, failReason: 'AML_REJECTED' })
    expect(await listOpen(db, 10)).toEqual([])
    expect(await auditLedger(db)).toEqual([])
  })

  test('audit M-D1: rejected money goes back to the listed address it came from, and no more than was signed for', async () => {
    await listBad()
    const id = newId()
    // Raw: the deposit, its adjustment and the signature of a second person, as they are once all commands have run.
    await sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, block_height, block_hash, keys, hold_until_verified, created_at, updated_at)
      values (${randomUUID()}, ${id}, 'TRON', 'TRX', 'x', '0', 'T', ${newId()}, '{TBad}', 100, 1, 'rejected', 'Failed', 1, 'b', '{}', true, now(), now())`.execute(
      db,
    )
    const adjustment = newId()
    await sql`insert into people(id, public_key, login, enrolled_by, enrolled_at) values ('bob', ${'ab'.repeat(32)}, 'bob', 'cli:x', now())`.execute(
      db,
    )
    await sql`insert into adjustments(id, asset, units, amount, from_account, to_account, deposit_id, reason, proposed_by, proposed_at)
      values (${adjustment}, 'TRX', 100, '100', ${`quarantine:${randomUUID()}`}, ${`merchant:${merchantId}`}, ${id}, 'back to its sender', 'cli:ann', now())`.execute(
      db,
    )
    const returned = async (): Promise<boolean> => {
      const w = await request('TBad')
      await admit(w)
      await screen()
      return admit(w)
    }
    expect(await returned()).toBe(false)
    // Raw: as above.
    await sql`insert into adjustment_signatures(adjustment_id, person, signature, applied_by, applied_at) values (${adjustment}, 'bob', 'aa', 'cli:ann', now())`.execute(
      db,
    )
    expect([await returned(), await returned()]).toEqual([true, false])
    expect((await listOpen(db, 10)).length).toBe(0)
  })

  test.each([
    ['hold', false],
    ['flag', true],
  ] as const)('that no provider can judge waits; after a while %s lets it go: %s', async (when, goes) => {
    const w = await request('TGood')
    await admit(w, when)
    await screen(when)
    expect(await admit(w, when)).toBe(false)
    now += 2 * MINUTE
    await screen(when)
    expect(await admit(w, when)).toBe(goes)
    expect((await listOpen(db, 10)).map(({ state }) => state)).toEqual(['unanswered'])
  })

  test('that went unjudged and is found risky stays as it is, for a person to see', async () => {
    const w = await request('TBad')
    await admit(w, 'flag')
    await screen('flag')
    now += 2 * MINUTE
    await screen('flag')
    await sql`update withdrawals set state = 'sent' where id = ${w.id}`.execute(db)
    await listBad()
    now += 60 * MINUTE
    await screen('flag')
    expect(await findById(db, merchantId, w.id)).toMatchObject({ state: 'sent', failReason: null })
    expect((await listOpen(db, 10)).map(({ state }) => state)).toEqual(['risky'])
    expect(await statuses()).toEqual([])
  })

  test('without settings goes as ever', async () => {
    const w = await request('TBad')
    expect(await createAdmission({ runtime: runtime(), screening: null })([w])).toEqual([w])
    expect(await findScreening(db, 'withdrawal', merchantId, w.id)).toBeUndefined()
  })
})

test('freezes are asked of the dollars on the network, where there is a node', async () => {
  const asked: string[] = []
  const adapter = {
    network: 'TRON',
    isFrozen: async (contract: string, address: string) => {
      asked.push(contract)
      return address === 'TFrozen'
    },
  } as unknown as ChainAdapter
  const frozenBy = createFrozenBy(catalogue, new Map([['TRON', adapter]]))
  expect([await frozenBy('TRON', 'TFrozen'), await frozenBy('TRON', 'TFree')]).toEqual([['USDT'], []])
  expect(new Set(asked)).toEqual(new Set([USDT]))
  expect([await frozenBy('ETHEREUM', '0x1'), await createFrozenBy(catalogue, new Map())('TRON', 'TFrozen')]).toEqual([
    undefined,
    undefined,
  ])
})
