import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { holdStops } from '../stops/index.ts'
import { stopDebtors, liftDebtorStops } from './index.ts'

const { db } = useDb()
const moment = { at: new Date(), newId: () => uuidv7(Date.now(), randomBytes(10)) }

const openDebts = async (merchantId: string): Promise<number> =>
  (
    await sql<{
      n: number
    }>`select count(*) as n from freezes where merchant_id = ${merchantId} and lifted_at is null`.execute(db)
  ).rows[0]!.n

test('the stop of a debtor waits for a withdrawal that is being planned now, and holds for later ones', async () => {
  const pair = { merchantId: randomUUID(), asset: 'USDT' }
  let isFrozen = false
  let freezing: Promise<void> | undefined
  await inTransaction(db, async (tx) => {
    await holdStops(tx)
    freezing = inTransaction(db, (other) => stopDebtors(other, [pair], moment)).then(() => void (isFrozen = true))
    await sleep(200)
    expect(isFrozen).toBe(false)
  })
  await freezing
  expect(await openDebts(pair.merchantId)).toBe(1)
  await inTransaction(db, (tx) => stopDebtors(tx, [pair, pair], moment))
  expect(await openDebts(pair.merchantId), 'once').toBe(1)
  await inTransaction(db, (tx) => liftDebtorStops(tx, [pair], moment))
  expect(await openDebts(pair.merchantId)).toBe(0)
})
