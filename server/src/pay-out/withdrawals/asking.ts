import type { Network } from '@bursar/chainkit'
import { orderErrors } from '@bursar/contract'
import { isOurs } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { apply } from '../../ledger/postings/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import { refusal } from '../../ledger/orders/index.ts'
import { intentIdOf } from './intent.ts'
import { checkLargest } from './limits.ts'
import { holdItem, newWithdrawal, readPlace } from './placing.ts'
import { currentFee, readAmount, readAsset, type Rules } from './request.ts'
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
  /**
   * what it is made for, where that is paid once: the signer then refuses to pay it again, whatever a restored copy has
   * forgotten
   */
  name?: string
}

/**
 * Makes an ordinary withdrawal in a transaction of the caller's: amount and fee are held, and everything that holds for
 * a merchant's own request holds. Throws an ApiRefusal that says why not.
 * @param now real time, ms: fee estimates age by it
 */
export const askWithdrawal = async (
  tx: Tx,
  asked: Asked,
  rules: Rules,
  now: number,
  moment: Moment,
): Promise<Withdrawal> => {
  const where = readAsset(asked, rules, orderErrors.invalidOrder)
  const { asset, on } = where
  const terms = await readTerms(tx, rules.catalogue, now)
  const holders = {
    holderOf: async (network: Network, address: string) => {
      const ours = await isOurs(tx, network, address)
      return ours === null ? 'nobody' : ours.kind === 'platform' ? 'platform' : 'merchant'
    },
  } as const
  const place = await readPlace({ holders, rules }, asked, where, terms)
  const feeOf = (units: bigint): bigint => currentFee(where, units, place.internal, terms, rules.catalogue)
  const units = readAmount(asked.amount ?? rest(asked.spend, feeOf(asked.spend), asset.scale, on.decimals), where)
  checkLargest(place, asked.merchantId, units, terms.days)
  const intentId = asked.name === undefined ? moment.newId() : intentIdOf(asked.merchantId, asked.name)
  const given = {
    merchantId: asked.merchantId,
    intentId,
    units,
    fee: feeOf(units),
    localId: null,
    meta: asked.meta,
    notifiedAs: null,
  }
  const withdrawal = newWithdrawal(place, given, moment)
  const [outcome] = await apply(tx, [holdItem(withdrawal, null)])
  if (outcome!.kind === 'refused' && outcome!.guard === 'insufficient') {
    const { meaning } = orderErrors.notEnoughBalance
    throw refusal(
      orderErrors.notEnoughBalance,
      `${meaning}: ${formatUnits(outcome!.available, asset.scale)} ${asset.ticker} is available`,
    )
  }
  if (outcome!.kind !== 'applied') throw new Error(`withdrawal ${withdrawal.id} was not taken: ${outcome!.kind}`)
  return withdrawal
}

/** What is left for the receiver, rounded down to what the network carries. */
const rest = (spend: bigint, fee: bigint, scale: number, decimals: number): string => {
  if (spend <= fee)
    throw refusal(
      orderErrors.amountTooLow,
      `Withdraw amount too low: the fee is ${formatUnits(fee, scale)}, which leaves nothing`,
    )
  const grain = 10n ** BigInt(scale - decimals)
  return formatUnits(mulDiv(spend - fee, 1n, grain, 'down') * grain, scale)
}
