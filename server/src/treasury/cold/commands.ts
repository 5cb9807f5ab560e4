import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  insertOffered,
  isPlannedStill,
  knowChange,
  lockPlanned,
  nativeLedgerUnits,
  recordImported,
  reserveCoins,
  withdrawOffer,
} from '../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { positionsOf } from '../reconciliation/index.ts'
import type { SpendableSun } from '../sweeps/index.ts'
import type { ColdPlan, Wanted } from './plan.ts'
import { freeAt } from './free.ts'
import { reviewSigned } from './review.ts'
import { insertPrevious, insertTransfer, noteEnd, noteImported, readTransfer } from './store.ts'
import type { ColdTransfer } from './transfer.ts'

/** Kind of the alert that a transfer waits for its signature. */
export const OFFER_ALERT = 'cold-offered'

/** Stores a transfer to be signed. Returns false when another transaction has taken a coin: the caller rolls back. */
export const offerTransfer = async (
  tx: Tx,
  {
    wanted,
    plan,
    ...transfer
  }: { wanted: Wanted; plan: ColdPlan } & Pick<ColdTransfer, 'network' | 'units' | 'expiresAt'>,
  scale: number,
  moment: Moment,
): Promise<boolean> => {
  const { id, ticker, to } = wanted
  if (plan.change) await knowChange(tx, plan.change, moment.at)
  await insertOffered(
    tx,
    { ...plan.transaction, id, network: transfer.network, purpose: 'cold', hash: plan.hash },
    moment,
  )
  if (plan.coins.length > 0 && !(await reserveCoins(tx, transfer.network, plan.coins, id))) return false
  await insertTransfer(tx, { ...transfer, id, asset: ticker, to, createdAt: moment.at })
  if (plan.previous.size > 0) await insertPrevious(tx, id, plan.previous)
  const text =
    `The hot wallet on ${transfer.network} holds too much ${ticker}: sign the transfer of ${formatUnits(transfer.units, scale)} ` +
    `to cold storage by ${transfer.expiresAt.toISOString()}: bursar cold show ${id}`
  await raiseAlert(tx, { kind: OFFER_ALERT, subject: id, text }, moment)
  return true
}

export type ImportRefusal = {
  refused: 'unknown' | 'not-open' | 'expired' | 'not-it' | 'spent' | 'changed'
  message: string
}

/**
 * Imports signed bytes, to be broadcast. Refuses them when they differ from the offered transaction, when it is too
 * late, or when payouts need the money now.
 * @param hot TRON only: read before this database transaction, because only the node knows how much TRX is staked.
 *   `changed` is the refusal when another transaction was planned since
 */
export const importTransfer = async (
  tx: Tx,
  { id, bytes, hot }: { id: string; bytes: Uint8Array; hot?: SpendableSun },
  catalogue: Catalogue,
  moment: Moment,
): Promise<{ hash: string } | ImportRefusal> => {
  const known = await readTransfer(tx, id)
  if (!known) return { refused: 'unknown', message: `there is no transfer ${id}` }
  const { network } = known.transfer
  // The plans of other jobs from the address and another import are seen below, and they see this one.
  if (network !== 'BITCOIN') await lockPlanned(tx, network, known.outgoing.senders[0]!)
  const offered = (await readTransfer(tx, id))!
  const { transfer, outgoing, attempt } = offered
  const { asset, ended, expiresAt, units } = transfer
  if (outgoing.state !== 'offered' || ended !== null) {
    return {
      refused: 'not-open',
      message: `it waits for nothing: its transaction is ${outgoing.state}${ended === null ? '' : `, ${ended}`}`,
    }
  }
  if (moment.at >= expiresAt)
    return { refused: 'expired', message: `it had to be signed by ${expiresAt.toISOString()}: another one is offered` }
  const reviewed = reviewSigned(offered, bytes)
  if (typeof reviewed === 'string') return { refused: 'not-it', message: reviewed }
  const position = (await positionsOf(tx, catalogue, network)).find(({ ticker }) => ticker === asset)
  // On Bitcoin its coins are reserved as long as the offer is open.
  if (network !== 'BITCOIN' && (!position || position.hot - position.leaving - position.waiting < units)) {
    return { refused: 'spent', message: 'withdrawals need the money by now: cancel it' }
  }
  const sending = { from: outgoing.senders[0]!, fee: attempt.networkFee }
  if (network === 'TRON') {
    if (!hot) throw new Error('the TRX that the hot address can send were not read')
    if (!(await isPlannedStill(tx, network, sending.from, hot.planned)))
      return { refused: 'changed', message: 'a payment was planned at the same moment: import it again' }
  }
  const unstaked = hot && { sun: hot.sun, waiting: position?.waiting ?? 0n }
  const isPayable =
    (!unstaked || isUnstaked(transfer, sending, unstaked, catalogue)) &&
    (await canSend(tx, transfer, sending, catalogue))
  if (!isPayable) {
    return { refused: 'spent', message: 'its address does not hold the money and the fee any more: cancel it' }
  }
  if (!(await recordImported(tx, outgoing, reviewed, moment)))
    return { refused: 'not-open', message: 'it has just given way to a payout' }
  await noteImported(tx, id, moment.at)
  await resolveAlert(tx, OFFER_ALERT, id, moment.at)
  return { hash: reviewed.hash }
}

/**
 * Whether the TRX of a transfer on TRON, and its fee, are not staked, besides what waiting withdrawals need.
 * @param fee sun
 * @param waiting withdrawals of the asset for which nothing is planned, ledger units
 */
const isUnstaked = (
  { asset: ticker, units }: Pick<ColdTransfer, 'asset' | 'units'>,
  { fee }: { fee: bigint },
  { sun, waiting }: { sun: bigint; waiting: bigint },
  catalogue: Catalogue,
): boolean => {
  const left = nativeLedgerUnits(catalogue, 'TRON', sun - fee)
  return left >= (ticker === NATIVE_TICKER.TRON ? units + waiting : 0n)
}

/**
 * Whether the sending address holds a transfer and its fee by the books, besides its unmined payments. On Bitcoin the
 * coins of an offer are reserved. Staked TRX counts as held (`isUnstaked`).
 * @param fee native units
 */
const canSend = async (
  tx: Tx,
  { network, asset: ticker, units }: ColdTransfer,
  { from, fee }: { from: string; fee: bigint },
  catalogue: Catalogue,
): Promise<boolean> => {
  if (network === 'BITCOIN') return true
  const leftOf = (one: string): Promise<bigint> => freeAt(tx, { network, catalogue }, one, from)
  const native = NATIVE_TICKER[network]
  const coin = nativeLedgerUnits(catalogue, network, fee)
  if (ticker === native) return (await leftOf(native)) >= units + coin
  return (await leftOf(ticker)) >= units && (await leftOf(native)) >= coin
}

/**
 * Withdraws an offer. On TRON only expiry ends an offer that may have been signed: there the offer is only marked, and
 * its transaction stays ours until it is proven dead. Undefined when no offer is open.
 */
export const cancelTransfer = async (
  tx: Tx,
  id: string,
  moment: Moment,
): Promise<{ mayBeMinedUntil: Date | null } | undefined> => {
  const offered = await readTransfer(tx, id)
  if (!offered || offered.outgoing.state !== 'offered') return undefined
  const onTron = offered.transfer.network === 'TRON'
  if (!onTron && !(await withdrawOffer(tx, id, moment))) return undefined
  await noteEnd(tx, id, 'cancelled')
  await resolveAlert(tx, OFFER_ALERT, id, moment.at)
  return { mayBeMinedUntil: onTron ? offered.attempt.expiresAt : null }
}
