import { NETWORKS, isNetwork, type Network } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { orderErrors, generalErrors } from '@bursar/contract'
import type { AssetOnNetwork, Catalogue, CryptoAsset } from '../assets/index.ts'
import { formatUnits, parseUnits } from '../money/index.ts'
import { ApiRefusal } from '../platform/route.ts'
import { checkDestination } from './destination.ts'
import { withdrawalFee } from './pricing.ts'
import type { Terms } from './terms.ts'

export interface WithdrawalBody {
  ticker: string
  blockchain: string
  to: string
  amount: string
  fee?: string
  localId?: string
  meta?: string
}

export interface Rules {
  catalogue: Catalogue
  bitcoinChain: BitcoinChain
  /** networks this installation can send on */
  served: ReadonlySet<Network>
}

const refusal = (code: { status: number; code: number }, description: string, field?: string): ApiRefusal =>
  new ApiRefusal(code.status, code.code, description, field === undefined ? {} : { field })

/** The asset and network a request names; refuses unknown ones and tells what exists. */
export const readAsset = (
  { ticker, blockchain }: { ticker: string; blockchain: string },
  { catalogue, served }: Rules,
  invalid: { status: number; code: number },
): { asset: CryptoAsset; on: AssetOnNetwork } => {
  if (!isNetwork(blockchain)) {
    throw refusal(invalid, `blockchain must be one of ${NETWORKS.join(', ')}; got ${quote(blockchain)}`, 'blockchain')
  }
  const asset = catalogue.findCrypto(ticker)
  if (!asset) {
    const known = catalogue.crypto.map((a) => a.ticker).join(', ')
    throw refusal(invalid, `ticker must be one of ${known}; got ${quote(ticker)}`, 'ticker')
  }
  const on = asset.networks.get(blockchain)
  if (!on) {
    const where = [...asset.networks.keys()].join(', ')
    throw refusal(invalid, `${ticker} is not on ${blockchain}; send it on ${where}`, 'blockchain')
  }
  if (!served.has(blockchain)) throw refusal(generalErrors.notBuilt, `withdrawals on ${blockchain} are not built yet`, 'blockchain')
  return { asset, on }
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 64))

/** An amount in ledger units, no finer than the network can carry and inside the asset's limits. */
export const readAmount = (amount: string, { asset, on }: { asset: CryptoAsset; on: AssetOnNetwork }): bigint => {
  const parsed = parseUnits(amount, on.decimals)
  if (!parsed.ok) {
    const why =
      parsed.refusal === 'precision'
        ? `amount has more decimals than the ${on.decimals} that ${asset.ticker} has on ${on.network}`
        : 'amount must be a decimal string greater than zero such as "12.5"'
    throw refusal(orderErrors.invalidOrder, why, 'amount')
  }
  const units = parsed.units * 10n ** BigInt(asset.scale - on.decimals)
  if (units === 0n) throw refusal(orderErrors.invalidOrder, 'amount must be greater than zero', 'amount')
  if (units < on.minWithdrawal) {
    const least = formatUnits(on.minWithdrawal, asset.scale)
    throw refusal(orderErrors.amountTooLow, `Withdraw amount too low: at least ${least} ${asset.ticker}`, 'amount')
  }
  if (on.maxWithdrawal !== null && units > on.maxWithdrawal) {
    const most = formatUnits(on.maxWithdrawal, asset.scale)
    throw refusal(orderErrors.amountTooHigh, `Withdraw amount too high: at most ${most} ${asset.ticker}`, 'amount')
  }
  return units
}

/** The destination in canonical form. */
export const readDestination = (to: string, network: Network, rules: Rules): string => {
  const destination = checkDestination(network, to, rules)
  if (!destination.ok) throw refusal(orderErrors.destinationRefused, `Destination refused: ${destination.why}`, 'to')
  return destination.address
}

/** What PostgreSQL's text can't hold would not come back as it was sent. */
export const readText = (text: string | undefined, field: string): void => {
  if (text === undefined || (!text.includes('\0') && text.isWellFormed())) return
  throw refusal(orderErrors.invalidOrder, `${field} must be Unicode text without U+0000`, field)
}

/** The current fee in ledger units; nothing inside this service costs anything. */
export const currentFee = (
  { asset, on }: { asset: CryptoAsset; on: AssetOnNetwork },
  units: bigint,
  internal: boolean,
  terms: Terms,
  catalogue: Catalogue,
): bigint => {
  if (internal) return 0n
  const rate = terms.feeRates.get(on.network)
  const fee = rate && withdrawalFee({ asset, on, units, rate, catalogue, prices: terms.prices })
  if (fee === undefined) {
    throw new ApiRefusal(
      generalErrors.unavailable.status,
      generalErrors.unavailable.code,
      `the network fee of ${on.network} is not known right now; try again later`,
      { retryAfterSeconds: 30 },
    )
  }
  return fee
}

/** What is charged: the merchant's own fee when it is at least the current one, else the current one. */
export const readFee = (given: string | undefined, current: bigint, asset: CryptoAsset): bigint => {
  if (given === undefined) return current
  const parsed = parseUnits(given, asset.scale)
  if (!parsed.ok) throw refusal(orderErrors.invalidOrder, 'fee must be a decimal string such as "0.5"', 'fee')
  if (parsed.units < current) {
    const least = formatUnits(current, asset.scale)
    throw refusal(orderErrors.feeTooLow, `Fee less than required: the current fee is ${least} ${asset.ticker}`, 'fee')
  }
  return parsed.units
}

/** Refuses while withdrawals of the asset, the merchant or the network are stopped. */
export const checkFreezes = (merchantId: string, ticker: string, blockchain: string, terms: Terms): void => {
  const covers = (stopped: string | null, here: string): boolean => stopped === null || stopped === here
  const stopped = terms.freezes.find(
    ({ asset, merchantId: owner, network }) => covers(asset, ticker) && covers(owner, merchantId) && covers(network, blockchain),
  )
  if (!stopped) return
  throw new ApiRefusal(
    generalErrors.unavailable.status,
    generalErrors.unavailable.code,
    `withdrawals of ${ticker} are stopped: ${stopped.reason}`,
    { retryAfterSeconds: 300 },
  )
}
