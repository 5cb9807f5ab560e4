import { orderErrors } from '@bursar/contract'
import { isOurs } from '../addresses/index.ts'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import { apply } from '../ledger/index.ts'
import { formatUnits, mulDiv } from '../money/index.ts'
import { checkStops, refusal } from '../orders/index.ts'
import { holdTransfer } from './postings.ts'
import { currentFee, readAmount, readAsset, readDestination, type Rules } from './request.ts'
import { rowOf, withdrawalRows } from './store.ts'
import { readTerms } from './terms.ts'
import type { Withdrawal } from './withdrawal.ts'

/** A withdrawal that this service makes for a merchant. Units are ledger units. */
export interface Asked {
  merchantId: string
  ticker: string
  blockchain: string
  to: string
  /** what the merchant's balance falls by at most: the receiver gets it less the fee */
  spend: bigint
  /** what the receiver gets instead, a decimal string; the fee comes on top */
  amount?: string
  meta: string | null
}

/**
 * Makes an ordinary withdrawal in a transaction of the caller's: amount and fee are held, and everything that holds for a
 * merchant's own request holds. Throws an ApiRefusal that says why not.
 * @param now real time, ms: fee estimates age by it
 */
export const askWithdrawal = async (tx: Tx, asked: Asked, rules: Rules, now: number, { at, newId }: Moment): Promise<Withdrawal> => {
  const where = readAsset(asked, rules, orderErrors.invalidOrder)
  const { asset, on } = where
  const to = readDestination(asked.to, on.network, rules)
  const terms = await readTerms(tx, rules.catalogue, now)
  checkStops({ merchantId: asked.merchantId, ticker: asset.ticker, network: on.network }, terms.freezes)
  const ours = await isOurs(tx, on.network, to)
  if (ours?.kind === 'house') throw refusal(orderErrors.destinationRefused, 'Destination refused: this is an address of the service itself', 'to')
  const internal = ours !== null
  const feeOf = (units: bigint): bigint => currentFee(where, units, internal, terms, rules.catalogue)
  const units = readAmount(asked.amount ?? rest(asked.spend, feeOf(asked.spend), asset.scale, on.decimals), where)
  const withdrawal: Withdrawal = {
    merchantId: asked.merchantId, id: newId(), ticker: asset.ticker, blockchain: on.network, to, units, fee: feeOf(units), localId: null, meta: asked.meta,
    state: 'requested', failReason: null, internal, holdId: newId(), outgoingId: null, doneSent: false, createdAt: at,
  }
  const [outcome] = await apply(tx, [{ transfer: holdTransfer(withdrawal), rows: [{ table: withdrawalRows, values: rowOf(withdrawal) }] }])
  if (outcome!.kind === 'refused' && outcome!.guard === 'insufficient') {
    const { meaning } = orderErrors.notEnoughBalance
    throw refusal(orderErrors.notEnoughBalance, `${meaning}: ${formatUnits(outcome!.available, asset.scale)} ${asset.ticker} is available`)
  }
  if (outcome!.kind !== 'applied') throw new Error(`withdrawal ${withdrawal.id} was not taken: ${outcome!.kind}`)
  return withdrawal
}

/** What is left for the receiver, rounded down to what the network carries. */
const rest = (spend: bigint, fee: bigint, scale: number, decimals: number): string => {
  if (spend <= fee) throw refusal(orderErrors.amountTooLow, `Withdraw amount too low: the fee is ${formatUnits(fee, scale)}, which leaves nothing`)
  const grain = 10n ** BigInt(scale - decimals)
  return formatUnits(mulDiv(spend - fee, 1n, grain, 'down') * grain, scale)
}
