import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { tidyLegs, type AccountKind, type Item, type Leg } from '../../ledger/postings/index.ts'
import type { Withdrawal } from './withdrawal.ts'

const leg = (w: Withdrawal, asset: string, kind: AccountKind, posted: bigint, held = 0n): Leg => ({
  account: { merchantId: w.merchantId, asset, kind },
  posted,
  held,
})

const item = (
  w: Withdrawal,
  kind: Item['transfer']['kind'],
  legs: Leg[],
  { at, newId }: Moment,
  closes?: string,
): Item => ({
  transfer: {
    id: newId(),
    merchantId: w.merchantId,
    kind,
    cause: { kind: 'withdrawal', id: w.id },
    legs: tidyLegs(legs),
    at,
    ...(closes === undefined ? {} : { closes }),
  },
})

/**
 * Mined: what left our wallets stands in transit until its block is final, and its share of the network's fee is a
 * cost. `back` takes exactly that back when the block is lost.
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
      leg(w, w.ticker, custody, sign * w.units),
      leg(w, w.ticker, `transit:${w.blockchain}`, -sign * w.units),
      leg(w, native, custody, sign * feeShare),
      leg(w, native, 'network-costs', -sign * feeShare),
    ],
    moment,
  )
}

/** Mined without effect: only the network's fee has left us. */
export const costItem = (w: Withdrawal, feeShare: bigint, direction: 'out' | 'back', moment: Moment): Item =>
  transitItem({ ...w, units: 0n }, feeShare, direction, moment)

/** Final: the hold is spent, the amount has left transit, the fee is income. */
export const captureItem = (w: Withdrawal, moment: Moment): Item => {
  const all = w.units + w.fee
  return item(
    w,
    'capture',
    [
      leg(w, w.ticker, 'merchant', -all, -all),
      leg(w, w.ticker, `transit:${w.blockchain}`, w.units),
      leg(w, w.ticker, 'fees', w.fee),
    ],
    moment,
    w.holdId,
  )
}

/** Delivered inside: the hold is spent and the amount goes to the receiver's merchant through clearing. */
export const deliverItem = (w: Withdrawal, moment: Moment): Item => {
  const all = w.units + w.fee
  return item(
    w,
    'capture',
    [leg(w, w.ticker, 'merchant', -all, -all), leg(w, w.ticker, 'clearing', w.units), leg(w, w.ticker, 'fees', w.fee)],
    moment,
    w.holdId,
  )
}

/** Proven not to have happened: the hold is free again. */
export const releaseItem = (w: Withdrawal, moment: Moment): Item =>
  item(w, 'release', [leg(w, w.ticker, 'merchant', 0n, -(w.units + w.fee))], moment, w.holdId)

/** The hold that a new withdrawal stands on. */
export const holdTransfer = (w: Withdrawal): Item['transfer'] => ({
  id: w.holdId,
  merchantId: w.merchantId,
  kind: 'hold',
  cause: { kind: 'withdrawal', id: w.id },
  legs: [leg(w, w.ticker, 'merchant', 0n, w.units + w.fee)],
  at: w.createdAt,
})
