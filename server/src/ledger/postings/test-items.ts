/**
 * Items of the ledger as its committer takes them, where a test is about the posting itself. Only tests of this module
 * use it.
 */
import { randomBytes } from 'node:crypto'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { applyAll, type Item } from './index.ts'

export const newId = (): string => uuidv7(Date.now(), randomBytes(10))

/** Credits a merchant with USDT that custody on Ethereum holds. @param units of USDT */
export const fund = async (db: Db, merchantId: string, units: bigint): Promise<void> => {
  const entries = [
    { account: { merchantId, asset: 'USDT', kind: 'custody:ETHEREUM' as const }, posted: -units, held: 0n },
    { account: { merchantId, asset: 'USDT', kind: 'merchant' as const }, posted: units, held: 0n },
  ]
  const id = newId()
  await inTransaction(db, (tx) =>
    applyAll(tx, [
      { transfer: { id, merchantId, kind: 'post', cause: { kind: 'funding', id }, entries, at: new Date() } },
    ]),
  )
}

/** An item that holds USDT of a merchant for a withdrawal. @param units of USDT */
export const hold = (merchantId: string, units: bigint, more: Partial<Item> = {}): Item => {
  const id = newId()
  const entries = [{ account: { merchantId, asset: 'USDT', kind: 'merchant' as const }, posted: 0n, held: units }]
  return {
    transfer: { id, merchantId, kind: 'hold', cause: { kind: 'withdrawal', id }, entries, at: new Date() },
    ...more,
  }
}
