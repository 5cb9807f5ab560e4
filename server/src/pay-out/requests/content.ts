import { createHash } from 'node:crypto'

/** A payout as it was asked for. Amounts are ledger units. */
export interface PayoutLine {
  number: number
  ticker: string
  /** of a card: `CARD` */
  blockchain: string
  /** in canonical form; of a card: its masked number */
  to: string
  /** that the receiver gets; of a claim: that the balance pays, with the fee in it */
  units: bigint
  /** a higher fee is not paid */
  feeLimit: bigint
  meta: string | null
}

/** The network of a line that is paid to a card. */
export const CARD_NETWORK = 'CARD'

/** What a refund returns money of. */
export interface Refunded {
  /** claim: of an underpaid crypto invoice, to the address of its payer; card: of a card payment, to its card */
  kind: 'claim' | 'card'
  /** the id of the claim, or of the card payment */
  refundOf: string
  /** what was refunded of the card payment when its refund was requested, in minor units; null: a claim */
  before: bigint | null
}

/**
 * SHA-256 of a request and all its lines. An approval names it, and fits no other request. Those of a refund and of a
 * payout to a card begin with other words: a process of a build that does not know them places none.
 */
export const contentHash = (
  {
    merchantId,
    id,
    refunded,
    isToCard,
  }: { merchantId: string; id: string; refunded: Refunded | null; isToCard: boolean },
  lines: readonly PayoutLine[],
): Buffer => {
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
    .update(
      JSON.stringify(
        refunded === null
          ? [isToCard ? 'card payout v1' : 'bursar payout v1', merchantId, id, rows]
          : ['refund v1', merchantId, id, refunded.kind, refunded.refundOf, String(refunded.before), rows],
      ),
    )
    .digest()
}

/** Sums of the lines by ticker. */
export const totalsOf = (lines: readonly Pick<PayoutLine, 'ticker' | 'units'>[]): Map<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const { ticker, units } of lines) totals.set(ticker, (totals.get(ticker) ?? 0n) + units)
  return totals
}
