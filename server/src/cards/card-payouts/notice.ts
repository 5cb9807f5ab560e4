import { formatUnits } from '../../platform/money/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import { OPEN_PARTS, wireStatusOf } from './machine.ts'
import type { Part, Payout, NotifiedAs } from './payout.ts'

/** Sums over parts, in ledger units. The amounts that are neither paid nor failed have not ended. */
interface Totals {
  paid: bigint
  paidFee: bigint
  failed: bigint
  failedFee: bigint
  open: number
}

const totalsOf = (parts: readonly Part[]): Totals => {
  const totals: Totals = { paid: 0n, paidFee: 0n, failed: 0n, failedFee: 0n, open: 0 }
  for (const { state, units, fee } of parts) {
    if (OPEN_PARTS.includes(state)) totals.open += 1
    else if (state === 'succeeded') {
      totals.paid += units
      totals.paidFee += fee
    } else {
      totals.failed += units
      totals.failedFee += fee
    }
  }
  return totals
}

/** The merchant's fields. For a payout that is part of another order, the localId belongs to that order. */
const givenOf = ({ meta, localId, notifiedAs }: Payout): Record<string, unknown> => {
  const given = localId ?? notifiedAs?.body.localId
  return { ...(meta === null ? {} : { meta }), ...(given === undefined || given === null ? {} : { localId: given }) }
}

const GENERIC = 'ERRROR_CODE_GENERIC'

/**
 * Makes the notification of a payout's end: `Withdraw` for a single one (`contract.md` 6.5), `WithdrawBatch` for a
 * batch (6.6).
 */
export const endNotice = (payout: Payout, parts: readonly Part[], scale: number): Notice => {
  const { merchantId, id, kind, notifiedAs } = payout
  const body = payoutBody(payout, parts, scale)
  const subject = notifiedAs ?? { kind: kind === 'batch' ? 'WithdrawBatch' : 'Withdraw', objectId: id }
  return { merchantId, objectId: subject.objectId, kind: subject.kind, status: body.status as string, body }
}

/**
 * Returns a payout as its newest notification states it: Pending, or Exchanged after an exchange, until every part has
 * ended.
 */
export const payoutBody = (payout: Payout, parts: readonly Part[], scale: number): Record<string, unknown> => {
  const { merchantId, id, ticker, maskedCard, units, fee, createdAt, kind, notifiedAs } = payout
  const print = (amount: bigint): string => formatUnits(amount, scale)
  const totals = totalsOf(parts)
  if (notifiedAs !== null) return wholeBody(notifiedAs, totals, parts, print)
  const isBatch = kind === 'batch'
  const ended = isBatch || totals.failed === 0n ? 'Done' : 'Failed'
  const status = totals.open > 0 ? 'Pending' : ended
  return {
    kind: isBatch ? 'WithdrawBatch' : 'Withdraw',
    id,
    ticker,
    merchantId,
    ...(isBatch ? {} : { cardNumber: maskedCard }),
    to: maskedCard,
    amount: print(units),
    fee: print(fee),
    ...(isBatch ? printTotals(totals, print) : {}),
    status,
    time: createdAt.getTime(),
    internal: false,
    ...givenOf(payout),
    ...(status === 'Failed' ? { failReason: parts[0]!.failReason ?? GENERIC } : {}),
  }
}

/**
 * Returns the body for a payout that is part of an exchange, in its fields (`contract.md` 6.7): Failed when nothing was
 * paid.
 */
const wholeBody = (
  { body }: NotifiedAs,
  totals: Totals,
  parts: readonly Part[],
  print: (amount: bigint) => string,
): Record<string, unknown> => {
  if (totals.open > 0) return { ...body, status: 'Exchanged' }
  const status = totals.paid === 0n ? 'Failed' : 'Done'
  const why = status === 'Failed' ? { failedReason: parts[0]!.failReason ?? GENERIC } : {}
  return { ...body, ...printTotals(totals, print), status, ...why }
}

const printTotals = ({ paid, failed, paidFee, failedFee }: Totals, print: (amount: bigint) => string) => ({
  paidAmount: print(paid),
  failedAmount: print(failed),
  paidFee: print(paidFee),
  failedFee: print(failedFee),
})

/** Returns a batch as its lookup shows it (`contract.md` 18, row 23). */
export const batchBody = (payout: Payout, parts: readonly Part[], scale: number): Record<string, unknown> => {
  const print = (amount: bigint): string => formatUnits(amount, scale)
  const totals = totalsOf(parts)
  return {
    id: payout.id,
    ticker: payout.ticker,
    amount: print(payout.units),
    paidAmount: print(totals.paid),
    failedAmount: print(totals.failed),
    fee: print(payout.fee),
    to: payout.maskedCard,
    status: totals.open === 0 ? 'DONE' : 'PENDING',
    time: payout.createdAt.getTime(),
    ...givenOf(payout),
    transactions: parts.map((part) => {
      const status = wireStatusOf(part.state)
      const failReason = status === 'FAILED' ? { failReason: part.failReason ?? GENERIC } : {}
      return { id: part.id, amount: print(part.units), fee: print(part.fee), status, ...failReason }
    }),
  }
}
