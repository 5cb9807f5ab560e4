import { orderErrors } from '@bursar/contract'
import type { AmountLimits } from '../../adapters/acquirers/port.ts'
import { limitsOf, type RoutingTable } from '../acquiring/index.ts'
import type { Catalogue, FiatAsset } from '../../market/assets/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { refusal } from '../../platform/api/route.ts'
import { passesLuhn } from '../../platform/api/card-numbers.ts'
import { canSplit, limitsFor, MOST_PARTS } from './splitting.ts'

export interface PayoutBody {
  ticker: string
  to: string
  amount: string
  fee?: string
  localId?: string
  meta?: string
}

export interface Rules {
  catalogue: Catalogue
  routing: RoutingTable
}

/** The currencies in which some acquirer of this installation pays out to cards. */
export const paidOutCurrencies = ({ catalogue, routing }: Rules): FiatAsset[] =>
  catalogue.fiat.filter((asset) => limitsOf(routing, 'payout', asset.ticker).length > 0)

/** Finds a currency in which some acquirer of this installation pays out to cards; refuses others, and lists those. */
export const readCurrency = (
  ticker: string,
  { catalogue, routing }: Rules,
  invalid: { status: number; code: number },
): FiatAsset => {
  const offered = paidOutCurrencies({ catalogue, routing })
  const asset = offered.find((one) => one.ticker === ticker)
  if (asset) return asset
  if (offered.length === 0)
    throw refusal(
      invalid,
      'ticker: nothing is paid out to cards here, as no acquirer that does is configured',
      'ticker',
    )
  const known = offered.map((one) => one.ticker).join(', ')
  throw refusal(invalid, `ticker must be one of ${known}; got ${JSON.stringify(ticker.slice(0, 64))}`, 'ticker')
}

/** Reads an amount in ledger units. */
export const readUnits = (
  amount: string,
  { ticker, scale }: FiatAsset,
  invalid: { status: number; code: number },
): bigint => {
  const parsed = parseUnits(amount, scale)
  if (!parsed.ok) {
    const why =
      parsed.refusal === 'precision'
        ? `amount has more decimals than the ${scale} of ${ticker}`
        : 'amount must be a decimal string greater than zero such as "1000"'
    throw refusal(invalid, why, 'amount')
  }
  if (parsed.units === 0n) throw refusal(invalid, 'amount must be greater than zero', 'amount')
  return parsed.units
}

/** The limits of one payment at each account, in the order of the configuration. */
const accountsOf = ({ routing }: Rules, { ticker }: FiatAsset): AmountLimits[] => limitsOf(routing, 'payout', ticker)

const least = (...values: bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b))
const greatest = (...values: bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b))

/** The limits of a single payout: the operator's, narrowed to the limits of the accounts. */
const singleLimits = (asset: FiatAsset, rules: Rules): AmountLimits => {
  const accounts = accountsOf(rules, asset)
  return {
    least: greatest(asset.payout.least, least(...accounts.map((one) => one.least))),
    most: least(asset.payout.most, greatest(...accounts.map((one) => one.most))),
  }
}

/** The limits of one part of a batch at each account. */
const partsOf = (asset: FiatAsset, rules: Rules): AmountLimits[] =>
  accountsOf(rules, asset)
    .map((one) => ({
      least: one.least,
      most: asset.mostInPart === null ? one.most : least(one.most, asset.mostInPart),
    }))
    .filter((one) => one.least <= one.most)

/** The limits of a batch: the same minimum, and as many times the maximum as there may be parts. */
const batchLimits = (asset: FiatAsset, rules: Rules): AmountLimits => {
  const most = MOST_PARTS * greatest(0n, ...partsOf(asset, rules).map((one) => one.most))
  return {
    least: singleLimits(asset, rules).least,
    most: asset.mostInBatch === null ? most : least(asset.mostInBatch, most),
  }
}

/** Refuses an amount outside the limits, and names them (`contract.md` 5.11, 5.12, 18 row 27). */
const checkLimits = (units: bigint, limits: AmountLimits, { ticker, scale }: FiatAsset, what: string): void => {
  const range = `${what} is ${ticker} ${formatUnits(limits.least, scale)} to ${formatUnits(limits.most, scale)}`
  if (units < limits.least) throw refusal(orderErrors.amountTooLow, `Withdraw amount too low: ${range}`, 'amount')
  if (units > limits.most) throw refusal(orderErrors.amountTooHigh, `Withdraw amount too high: ${range}`, 'amount')
}

/**
 * Returns the limits of the parts of a payout; a single payout is one part. Refuses an amount that no account can pay.
 */
export const readPartLimits = (
  kind: 'single' | 'batch',
  units: bigint,
  asset: FiatAsset,
  rules: Rules,
): AmountLimits => {
  const isBatch = kind === 'batch'
  checkLimits(
    units,
    isBatch ? batchLimits(asset, rules) : singleLimits(asset, rules),
    asset,
    isBatch ? 'a batch of card payouts' : 'a card payout',
  )
  const accounts = isBatch ? partsOf(asset, rules) : accountsOf(rules, asset)
  const limits = isBatch ? limitsFor(units, accounts) : accounts.find((one) => one.least <= units && units <= one.most)
  if (limits && (isBatch ? canSplit(units, limits) : true)) return limits
  const shown = accounts
    .map((one) => `${formatUnits(one.least, asset.scale)} to ${formatUnits(one.most, asset.scale)}`)
    .join(', ')
  throw refusal(
    orderErrors.invalidOrder,
    `amount can not be paid in payments of ${asset.ticker} ${shown}: send another amount`,
    'amount',
  )
}

/** Reads a card number; its refusal does not repeat the number. */
export const readCard = (to: string): string => {
  if (to.startsWith('0') || !passesLuhn(to)) {
    throw refusal(
      orderErrors.destinationRefused,
      'Destination refused: to is no number of a payment card, its check digit does not fit',
      'to',
    )
  }
  return to
}

/** Refuses a text of the merchant that contains the card number: such texts are stored and sent unmasked. */
export const checkNoCard = (text: string | undefined, field: string, card: string): void => {
  if (text !== undefined && text.replaceAll(/[^0-9]/g, '').includes(card)) {
    throw refusal(
      orderErrors.invalidOrder,
      `${field} holds the number of the card: leave it out, it would be stored and sent in clear`,
      field,
    )
  }
}
