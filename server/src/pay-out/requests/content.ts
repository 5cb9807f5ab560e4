import { createHash } from 'node:crypto'

/** A payout as it was asked for. Amounts are ledger units. */
export interface PayoutLine {
  number: number
  ticker: string
  blockchain: string
  /** in canonical form */
  to: string
  /** that the receiver gets */
  units: bigint
  /** a higher fee is not paid */
  feeLimit: bigint
  meta: string | null
}

/** SHA-256 of a request and all its lines. An approval names it, and fits no other request. */
export const contentHash = (merchantId: string, id: string, lines: readonly PayoutLine[]): Buffer => {
  const rows = lines.map(({ number, ticker, blockchain, to, units, feeLimit, meta }) => [
    number,
    ticker,
    blockchain,
    to,
    `${units}`,
    `${feeLimit}`,
    meta,
  ])
  return createHash('sha256')
    .update(JSON.stringify(['bursar payout v1', merchantId, id, rows]))
    .digest()
}

/** Sums of the lines by ticker. */
export const totalsOf = (lines: readonly Pick<PayoutLine, 'ticker' | 'units'>[]): Map<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const { ticker, units } of lines) totals.set(ticker, (totals.get(ticker) ?? 0n) + units)
  return totals
}
