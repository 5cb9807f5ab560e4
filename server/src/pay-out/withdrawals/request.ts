import { isEvmNetwork, isNetwork, isRefused, type Network, NETWORKS } from '@bursar/chainkit'
import { type BitcoinChain, parseAddress as parseBitcoin } from '@bursar/chainkit/bitcoin'
import { parseAddress as parseEvm } from '@bursar/chainkit/evm'
import { parseAddress as parseTron } from '@bursar/chainkit/tron'
import { generalErrors, orderErrors } from '@bursar/contract'
import type { AssetOnNetwork, Catalogue, CryptoAsset } from '../../market/assets/index.ts'
import { refusal } from '../../platform/api/route.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { type Terms, withdrawalFee } from './terms.ts'

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
}

/** Returns the asset and network that a request names. Refuses unknown ones with a list of the available ones. */
export const readAsset = (
  { ticker, blockchain }: { ticker: string; blockchain: string },
  { catalogue }: Rules,
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
  return { asset, on }
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 64))

/**
 * Returns an amount in ledger units. Refuses amounts finer than the network's precision or outside the asset's limits.
 */
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
  checkWithdrawable(units, { asset, on })
  return units
}

/** Refuses an amount outside the asset's limits on the network. @param units ledger units that the receiver gets */
export const checkWithdrawable = (units: bigint, { asset, on }: { asset: CryptoAsset; on: AssetOnNetwork }): void => {
  if (units < on.minWithdrawal) {
    const least = formatUnits(on.minWithdrawal, asset.scale)
    throw refusal(orderErrors.amountTooLow, `Withdraw amount too low: at least ${least} ${asset.ticker}`, 'amount')
  }
  if (on.maxWithdrawal !== null && units > on.maxWithdrawal) {
    const most = formatUnits(on.maxWithdrawal, asset.scale)
    throw refusal(orderErrors.amountTooHigh, `Withdraw amount too high: at most ${most} ${asset.ticker}`, 'amount')
  }
}

/** Returns the destination in canonical form. */
export const readDestination = (to: string, network: Network, rules: Rules): string => {
  const destination = checkDestination(network, to, rules)
  if (!destination.ok) throw refusal(orderErrors.destinationRefused, `Destination refused: ${destination.why}`, 'to')
  return destination.address
}

/** The current fee in ledger units; internal withdrawals are free. */
export const currentFee = (
  { asset, on }: { asset: CryptoAsset; on: AssetOnNetwork },
  units: bigint,
  internal: boolean,
  terms: Terms,
  catalogue: Catalogue,
): bigint => {
  if (internal) return 0n
  const rate = terms.feeRates.get(on.network)
  const gas = terms.paymentGas.get(on.network)?.get(asset.ticker)
  const fee = rate && withdrawalFee({ asset, on, units, rate, gas, catalogue, prices: terms.prices })
  if (fee === undefined) {
    throw refusal(
      generalErrors.unavailable,
      `the network fee of ${on.network} is not known right now; try again later`,
      { retryAfterSeconds: 30 },
    )
  }
  return fee
}

export type Destination = { ok: true; address: string } | { ok: false; why: string }

/**
 * Checks a destination for its network: form, checksum, network, and that it is no token contract, which would lock the
 * money permanently. Returns the canonical form, in which addresses are compared and stored.
 */
export const checkDestination = (
  network: Network,
  text: string,
  rules: { bitcoinChain: BitcoinChain; catalogue: Catalogue },
): Destination => {
  if (network === 'BITCOIN') return checkBitcoin(text, rules.bitcoinChain)
  if (isEvmNetwork(network)) return checkEvm(network, text, rules.catalogue)
  return checkTron(text, rules.catalogue)
}

const checkBitcoin = (text: string, chain: BitcoinChain): Destination => {
  const parsed = parseBitcoin(text, chain)
  if (isRefused(parsed)) return { ok: false, why: parsed.message }
  return { ok: true, address: parsed.address }
}

const checkEvm = (network: Network, text: string, catalogue: Catalogue): Destination => {
  const parsed = parseEvm(text)
  if (isRefused(parsed)) return { ok: false, why: parsed.message }
  const { address } = parsed
  const token = catalogue.byContract(network, address.toLowerCase())
  if (token) return { ok: false, why: `${address} is the contract of ${token.asset.ticker}: money sent there is lost` }
  return { ok: true, address }
}

const checkTron = (text: string, catalogue: Catalogue): Destination => {
  const parsed = parseTron(text)
  if (isRefused(parsed)) return { ok: false, why: parsed.message }
  const token = catalogue.byContract('TRON', parsed.address)
  if (token)
    return { ok: false, why: `${parsed.address} is the contract of ${token.asset.ticker}: money sent there is lost` }
  return { ok: true, address: parsed.address }
}
