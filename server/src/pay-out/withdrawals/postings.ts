import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { mergeEntries, type AccountKind, type Item, type TransferEntry } from '../../ledger/postings/index.ts'
import type { Withdrawal } from './withdrawal.ts'

const entry = (w: Withdrawal, asset: string, kind: AccountKind, posted: bigint, held = 0n): TransferEntry => ({
  account: { merchantId: w.merchantId, asset, kind },
  posted,
  held,
})

const item = (
  w: Withdrawal,
  kind: Item['transfer']['kind'],
  entries: TransferEntry[],
  { at, newId }: Moment,
  closes?: string,
): Item => ({
  transfer: {
    id: newId(),
    merchantId: w.merchantId,
    kind,
    cause: { kind: 'withdrawal', id: w.id },
    entries: mergeEntries(entries),
    at,
    ...(closes === undefined ? {} : { closes }),
  },
})

/**
 * Mined: moves the amount that left our wallets to transit until its block is final, and posts the withdrawal's share
 * of the network fee as a cost. `back` reverses exactly that when the block is lost.
 * @param feeShare native ledger units
 */
export const transitItem = (w: Withdrawal, feeShare: bigint, direction: 'out' | 'back', moment: Moment): Item => {
  const sign = direction === 'out' ? 1n : -1n
  const native = NATIVE_TICKER[w.blockchain]
  const custody: AccountKind = `custody:${w.blockchain}`
  return item(
    w,
    'post',
    [
      entry(w, w.ticker, custody, sign * w.units),
      entry(w, w.ticker, `transit:${w.blockchain}`, -sign * w.units),
      entry(w, native, custody, sign * feeShare),
      entry(w, native, 'network-costs', -sign * feeShare),
    ],
    moment,
  )
}

/** Mined without effect: posts only the network fee. */
export const costItem = (w: Withdrawal, feeShare: bigint, direction: 'out' | 'back', moment: Moment): Item =>
  transitItem({ ...w, units: 0n }, feeShare, direction, moment)

/** Final: captures the hold, moves the amount out of transit, and posts the fee as income. */
export const captureItem = (w: Withdrawal, moment: Moment): Item => {
  const all = w.units + w.fee
  return item(
    w,
    'capture',
    [
      entry(w, w.ticker, 'merchant', -all, -all),
      entry(w, w.ticker, `transit:${w.blockchain}`, w.units),
      entry(w, w.ticker, 'fees', w.fee),
    ],
    moment,
    w.holdId,
  )
}

/** Delivered internally: captures the hold, and moves the amount to the receiving merchant through clearing. */
export const deliverItem = (w: Withdrawal, moment: Moment): Item => {
  const all = w.units + w.fee
  return item(
    w,
    'capture',
    [
      entry(w, w.ticker, 'merchant', -all, -all),
      entry(w, w.ticker, 'clearing', w.units),
      entry(w, w.ticker, 'fees', w.fee),
    ],
    moment,
    w.holdId,
  )
}

/** Proven not to have happened: releases the hold. */
export const releaseItem = (w: Withdrawal, moment: Moment): Item =>
  item(w, 'release', [entry(w, w.ticker, 'merchant', 0n, -(w.units + w.fee))], moment, w.holdId)

/** The hold of a new withdrawal. */
export const holdTransfer = (w: Withdrawal): Item['transfer'] => ({
  id: w.holdId,
  merchantId: w.merchantId,
  kind: 'hold',
  cause: { kind: 'withdrawal', id: w.id },
  entries: [entry(w, w.ticker, 'merchant', 0n, w.units + w.fee)],
  at: w.createdAt,
})
