import { findPayment, type Payment } from '../../cards/acquiring/index.ts'
import { findClaim, refuseClaim, UNDECIDED, type ClaimDetail } from '../../pay-in/crypto-invoices/index.ts'
import {
  CARD_NETWORK,
  openRefundOf,
  PayoutProblem,
  requestRefund,
  type PayoutLine,
} from '../../pay-out/requests/index.ts'
import { authoriseSession, lockTeam, type Now, recordOf, type Session } from '../../people/access/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { RefundPagesDeps } from './deps.ts'

/** A claim as a form has shown it. Amounts are ledger units. */
export interface ShownClaim {
  merchantId: string
  id: string
  formKey: string
  /** credited, less the fee of the deposits: the balance pays it, and the network's fee is part of it */
  spend: bigint
  /** the network's fee now */
  fee: bigint
  /** to the payer; empty: none */
  note: string
}

/**
 * Asks for the refund of a claim to the address of its payer. A fee of at most twice the present one is accepted,
 * because fees change until the refund is approved.
 * @returns the id of the request
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const askForClaim = async (tx: Tx, session: Session, shown: ShownClaim, now: Now): Promise<string> => {
  const { merchantId, id, formKey, spend, fee, note } = shown
  const claim = await findClaim(tx, { merchantId, id })
  if (!claim) throw new PayoutProblem('unknown')
  if (!UNDECIDED.includes(claim.state)) throw new PayoutProblem('ended')
  if (creditedOf(claim) !== spend) throw new PayoutProblem('changed')
  const line: PayoutLine = {
    number: 1,
    ticker: claim.ticker,
    blockchain: claim.blockchain,
    to: claim.refundAddress,
    units: spend,
    feeLimit: 2n * fee,
    meta: note === '' ? null : note,
  }
  const refunded = { kind: 'claim', refundOf: id, before: null } as const
  return requestRefund(tx, session, { merchantId, refunded, invoiceId: claim.invoiceId, formKey, line }, now)
}

/** The credited money of a claim's invoice, without the fee of its deposits; ledger units. */
export const creditedOf = ({ paid, fee }: Pick<ClaimDetail, 'paid' | 'fee'>): bigint => paid - fee

/**
 * Refuses a claim: the merchant keeps the money, the payer is mailed the note, and may ask again. It is not possible
 * while a request to refund the claim is open.
 * @throws NotAllowed, ProofNeeded, a ClaimRefusal or a PayoutProblem
 */
export const refuseClaimOf = async (
  tx: Tx,
  session: Session,
  { merchantId, id, note }: Pick<ShownClaim, 'merchantId' | 'id' | 'note'>,
  { rules: { catalogue }, publicUrl }: Pick<RefundPagesDeps, 'rules' | 'publicUrl'>,
  now: Now,
): Promise<void> => {
  await lockTeam(tx, session, merchantId)
  await authoriseSession(tx, session, { merchantId, action: 'refund-payments', needsProof: true })
  if (await openRefundOf(tx, merchantId, id, now.real)) throw new PayoutProblem('asked')
  await refuseClaim(tx, { merchantId, id }, note === '' ? null : note, { catalogue, publicUrl }, now.moment)
  await recordOf(tx, session, { merchantId, action: 'refused claim', detail: { claimId: id, note } }, now)
}

/** A card payment that its merchant may refund; undefined for any other. */
export const refundablePayment = async (
  db: Db | Tx,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<(Payment & { paidUnits: bigint; paidTicker: string }) | undefined> => {
  const payment = await findPayment(db, id)
  if (payment?.merchantId !== merchantId || payment.state !== 'credited') return undefined
  const { paidUnits, paidTicker } = payment
  return paidUnits === null || paidTicker === null ? undefined : { ...payment, paidUnits, paidTicker }
}

/** Why a refund of this amount can't be made at the acquirer; undefined: it can. */
export type CardTrouble = 'elsewhere' | 'whole' | 'too-much'

/** @param units minor units */
export const cardTrouble = (
  { acquirer, paidUnits, refundedUnits }: Pick<Payment, 'acquirer' | 'refundedUnits'> & { paidUnits: bigint },
  units: bigint,
  { table: { accounts } }: Pick<RefundPagesDeps, 'table'>,
): CardTrouble | undefined => {
  const capabilities = accounts.find(({ name }) => name === acquirer)?.capabilities
  if (!capabilities?.refund) return 'elsewhere'
  if (units <= 0n || units > paidUnits - refundedUnits) return 'too-much'
  return capabilities.refundsWholeOnly && units !== paidUnits ? 'whole' : undefined
}

/**
 * Asks for a refund of a card payment, in whole or in part, to the card that paid.
 * @param asked `units`: minor units; `refunded`: what was refunded when the form was shown
 * @returns the id of the request
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const askForCard = async (
  tx: Tx,
  session: Session,
  asked: { merchantId: string; id: string; formKey: string; units: bigint; refunded: bigint; reason: string },
  deps: Pick<RefundPagesDeps, 'table'>,
  now: Now,
): Promise<string> => {
  const { merchantId, id, formKey, units, refunded, reason } = asked
  const payment = await refundablePayment(tx, { merchantId, id })
  if (!payment) throw new PayoutProblem('unknown')
  if (payment.refundedUnits !== refunded || cardTrouble(payment, units, deps)) throw new PayoutProblem('changed')
  const line: PayoutLine = {
    number: 1,
    ticker: payment.paidTicker,
    blockchain: CARD_NETWORK,
    to: payment.maskedCard ?? '',
    units,
    feeLimit: 0n,
    meta: reason,
  }
  const given = {
    merchantId,
    refunded: { kind: 'card', refundOf: id, before: refunded },
    invoiceId: payment.invoiceId,
    formKey,
    line,
  } as const
  return requestRefund(tx, session, given, now)
}
