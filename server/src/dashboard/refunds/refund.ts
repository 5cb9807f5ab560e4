import type { Network } from '@bursar/chainkit'
import type { ListedRefund, RefundState } from '../../cards/acquiring/index.ts'
import type { ClaimDetail, ClaimState } from '../../pay-in/crypto-invoices/index.ts'

export const STATUSES = ['open', 'underway', 'done', 'refused'] as const
/**
 * - open: a claim that waits for the merchant's decision
 * - underway: the money is on its way to the payer
 * - done: the payer has it
 * - refused: the merchant has refused the claim, or the acquirer the refund
 */
export type RefundStatus = (typeof STATUSES)[number]

export const KINDS = ['claim', 'card'] as const
/** A claim of a crypto invoice, or a refund of a card payment. */
export type Kind = (typeof KINDS)[number]

export const OF_CLAIMS: Readonly<Record<RefundStatus, readonly ClaimState[]>> = {
  open: ['requested', 'failed'],
  underway: ['approved'],
  done: ['sent'],
  refused: ['refused'],
}
export const OF_CARDS: Readonly<Record<RefundStatus, readonly RefundState[]>> = {
  open: [],
  underway: ['requested', 'asked'],
  done: ['done'],
  refused: ['refused'],
}

/** A refund of any kind, as the list shows it. Amounts are ledger units of `ticker`. */
export interface RefundRow {
  kind: Kind
  id: string
  key: string
  createdAt: Date
  status: RefundStatus
  /** of a claim: its withdrawal has failed, and the merchant decides again */
  hasFailed: boolean
  ticker: string
  /** that the payer gets; of a claim without a decision: what was credited, without the network's fee */
  units: bigint
  /** an address, or a masked card */
  to: string
  network: Network | null
  invoiceId: string
  /** of the invoice of a claim */
  name: string | null
  email: string | null
}

export const ofClaim = (claim: ClaimDetail): RefundRow => ({
  kind: 'claim',
  id: claim.id,
  key: claim.id,
  createdAt: claim.requestedAt,
  status: STATUSES.find((one) => OF_CLAIMS[one].includes(claim.state))!,
  hasFailed: claim.state === 'failed',
  ticker: claim.ticker,
  units: claim.units === null || claim.state === 'failed' ? claim.paid - claim.fee : claim.units,
  to: claim.refundAddress,
  network: claim.blockchain,
  invoiceId: claim.invoiceId,
  name: claim.name,
  email: claim.email,
})

export const ofCard = (refund: ListedRefund): RefundRow => ({
  kind: 'card',
  id: refund.id,
  key: refund.id,
  createdAt: refund.createdAt,
  status: STATUSES.find((one) => OF_CARDS[one].includes(refund.state))!,
  hasFailed: false,
  ticker: refund.ticker,
  units: refund.units,
  to: refund.maskedCard ?? '',
  network: null,
  invoiceId: refund.invoiceId,
  name: null,
  email: null,
})
