/**
 * The order in which the effects of one transaction take their locks. It is the same for all transactions, so that no
 * two of them can deadlock. Another transaction holds one row, and the rows that come after it are still free.
 */
import { randomUUID } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { useDb } from '../../../../test/world/database.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { inTransaction, sqlState } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { carryOut, type Effects } from './index.ts'

const { db } = useDb()
const runtime = createTestRuntime(db, () => Date.UTC(2026, 0, 1))
let merchantId: string
/** Rows in the order in which they are to be locked. */
let rows: RawBuilder<unknown>[]
let effects: () => Effects

beforeEach(async () => {
  merchantId = randomUUID()
  await giveMoney(runtime, { merchantId, asset: 'ETH' }, 100n)
  const [first, second] = ['A', 'B'].map((letter) => `${letter} of ${merchantId}`) as [string, string]
  rows = [
    sql`select from ledger_accounts where merchant_id = ${merchantId} and kind = 'merchant' for no key update`,
    ...[first, second].map(
      (address) => sql`select from custody_addresses where address = ${address} for no key update`,
    ),
    sql`select from event_heads where merchant_id = ${merchantId} for no key update`,
  ]
  effects = () => {
    const { at, newId } = momentOf(runtime)
    const id = newId()
    const entry = (kind: 'merchant' | 'clearing', posted: bigint) => ({
      account: { merchantId, asset: 'ETH', kind },
      posted,
      held: 0n,
    })
    const entries = [entry('merchant', -1n), entry('clearing', 1n)]
    const move = (address: string) => ({ network: 'ETHEREUM', asset: 'ETH', address, units: 1n, height: 10 }) as const
    return {
      items: [{ transfer: { id, merchantId, kind: 'post', cause: { kind: 'adjustment', id }, entries, at } }],
      moves: [move(second), move(first)],
      notices: [{ merchantId, objectId: id, kind: 'Test', status: 'Done', body: {} }],
    }
  }
  await inTransaction(db, (tx) => carryOut(tx, effects(), momentOf(runtime)))
})

/** Whether the row of a statement is not locked. */
const isFree = (row: RawBuilder<unknown>): Promise<boolean> =>
  inTransaction(db, (tx) => sql`${row} nowait`.execute(tx)).then(
    () => true,
    (error: unknown) => {
      if (sqlState(error) === '55P03') return false
      throw error
    },
  )

test.each([
  ['account', 0],
  ['balance of the first address', 1],
  ['balance of the second address', 2],
  ['number of notifications', 3],
])(
  'effects lock accounts, then balances of addresses in their order, then the heads of notifications: at the %s',
  async (_, at) => {
    let running: Promise<void> | undefined
    await inTransaction(db, async (tx) => {
      expect((await rows[at]!.execute(tx)).rows).toHaveLength(1)
      running = inTransaction(db, (own) => carryOut(own, effects(), momentOf(runtime)))
      await expect.poll(() => isWaitingForLock(db)).toBe(true)
      const free: boolean[] = []
      for (const row of rows) free.push(await isFree(row))
      expect(free).toEqual(rows.map((_row, place) => place > at))
    })
    await running
  },
)
