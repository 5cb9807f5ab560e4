import type { Network } from '@bursar/chainkit'
import { batchBody, listPayouts, type ListedPayout } from '../../cards/card-payouts/index.ts'
import { listWithdrawals, lookupBodies } from '../../pay-out/withdrawals/index.ts'
import type { ListPage, Listed } from '../../platform/lists/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { PayoutPagesDeps } from './deps.ts'
import type { MadeFilter, MadeKind } from './made-filter.ts'

/** The status of a payout that was made. */
export type PayoutStatus = 'pending' | 'done' | 'failed'

/** A payout that was made, by a request of members, by the API, or by an exchange that forwards its amount. */
export interface Made {
  kind: MadeKind
  id: string
  ticker: string
  /** decimals: the amount that the receiver gets, and the fee on top of it */
  amount: string
  fee: string
  network: Network | null
  /** an address, or a masked card */
  to: string
  status: PayoutStatus
  hash: string | null
  failReason: string | null
  localId: string | null
  meta: string | null
  createdAt: Date
  /** payments to the card */
  parts: readonly { amount: string; fee: string; status: PayoutStatus; failReason: string | null }[]
}

/** A page of payouts, by the query of the API's list. */
export const listMade = async (
  { db, rules: { catalogue } }: Pick<PayoutPagesDeps, 'db' | 'rules'>,
  merchantId: string,
  { kind, chain, card }: Pick<MadeFilter, 'kind' | 'chain' | 'card'>,
  page: ListPage,
): Promise<Listed<Made>> => {
  if (kind === 'card') {
    const { rows, next } = await listPayouts(db, merchantId, card, page)
    return { rows: rows.map((row) => ofCard(row, catalogue.findFiat(row.payout.ticker)?.scale ?? 0)), next }
  }
  const { rows, next } = await listWithdrawals(db, merchantId, chain, page)
  const bodies = await lookupBodies(db, rows, catalogue)
  return {
    rows: rows.map((row, i) => {
      const { status, hash } = bodies[i] as { status: string; hash?: string }
      const scale = catalogue.findCrypto(row.ticker)?.scale ?? 0
      return {
        kind,
        id: row.id,
        ticker: row.ticker,
        amount: formatUnits(row.units, scale),
        fee: formatUnits(row.fee, scale),
        network: row.blockchain as Network,
        to: row.toAsSent ?? row.to,
        status: statusOf(status),
        hash: hash ?? null,
        failReason: row.failReason,
        localId: row.localId,
        meta: row.meta,
        createdAt: row.createdAt,
        parts: [],
      }
    }),
    next,
  }
}

const statusOf = (status: string): PayoutStatus =>
  status.toUpperCase() === 'DONE' ? 'done' : status.toUpperCase() === 'FAILED' ? 'failed' : 'pending'

const ofCard = ({ payout, parts }: ListedPayout, scale: number): Made => {
  const body = batchBody(payout, parts, scale) as {
    status: string
    amount: string
    fee: string
    failedAmount: string
    transactions: { amount: string; fee: string; status: string; failReason?: string }[]
  }
  const isFailed = body.status === 'DONE' && body.failedAmount === body.amount
  return {
    kind: 'card',
    id: payout.id,
    ticker: payout.ticker,
    amount: body.amount,
    fee: body.fee,
    network: null,
    to: payout.maskedCard,
    status: isFailed ? 'failed' : statusOf(body.status),
    hash: null,
    failReason: null,
    localId: payout.localId,
    meta: payout.meta,
    createdAt: payout.createdAt,
    parts: body.transactions.map(({ amount, fee, status, failReason }) => ({
      amount,
      fee,
      status: statusOf(status),
      failReason: failReason ?? null,
    })),
  }
}
