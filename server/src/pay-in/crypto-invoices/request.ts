import { isNetwork, type Network } from '@bursar/chainkit'
import { durations, generalErrors, type BodyOf, type createCryptoInvoice } from '@bursar/contract'
import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'
import { formatUnits, mulDiv, parseUnits } from '../../platform/money/index.ts'
import { readRedirect } from '../forms/index.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { BasePrice, Invoice } from './invoice.ts'
import { canBeSent } from './options.ts'
import { BASE_TICKERS } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'

export type InvoiceBody = BodyOf<typeof createCryptoInvoice>

type Rules = Pick<InvoiceSettings, 'catalogue' | 'networks'>

export const invalid = (description: string, field: string): ApiRefusal =>
  refusal(generalErrors.invalidRequest, description, field)

/** Returns the invoice that a request describes. Throws an ApiRefusal that names the field. */
export const readInvoice = (merchantId: string, body: InvoiceBody, rules: Rules, { at, newId }: Moment): Invoice => {
  const base = readBase(body.baseAmount)
  const asked = readAmount(body.amount, base, rules)
  const { duration, clientDuration } = readDurations(body)
  return {
    merchantId,
    id: newId(),
    state: 'created',
    name: body.name,
    description: body.description ?? null,
    meta: body.meta ?? null,
    // As fiat invoices and mails store it. One that can't be mailed stays as it is: clients before sent such.
    email: body.email === undefined ? null : (mailAddress(body.email) ?? body.email),
    redirectUrl: body.redirectUrl === undefined ? null : readRedirect(body.redirectUrl),
    linkId: null,
    language: body.language ?? null,
    ...asked,
    base,
    quote: null,
    address: null,
    addressId: null,
    paid: 0n,
    fee: 0n,
    paidBaseE18: 0n,
    waiting: 0n,
    waitingInTime: 0,
    waitingMined: 0,
    refunded: false,
    clientExpiresAt: new Date(at.getTime() + clientDuration),
    expiresAt: new Date(at.getTime() + duration),
    createdAt: at,
    movedAt: at,
  }
}

const CENTS = 2
const CENT_E18 = 10n ** 16n

const readBase = (given: InvoiceBody['baseAmount']): BasePrice | null => {
  if (given === undefined) return null
  const { value, ticker } = given
  if (!BASE_TICKERS.some((base) => base === ticker))
    throw invalid(`baseAmount.ticker must be one of ${BASE_TICKERS.join(', ')}`, 'baseAmount.ticker')
  const parsed = parseUnits(value, CENTS)
  if (!parsed.ok || parsed.units === 0n)
    throw invalid(
      `baseAmount.value is an amount of ${ticker} with at most ${CENTS} decimals, such as "12.5"`,
      'baseAmount.value',
    )
  return { ticker, e18: parsed.units * CENT_E18 }
}

type Asked = Pick<Invoice, 'ticker' | 'blockchain' | 'units'>

const readAmount = (amount: InvoiceBody['amount'], base: BasePrice | null, rules: Rules): Asked => {
  if (amount === undefined) return { ticker: null, blockchain: null, units: null }
  if (base !== null && amount.value !== undefined) {
    throw invalid('amount.value and baseAmount both say what to pay: send one of them', 'amount.value')
  }
  const asset = rules.catalogue.findCrypto(amount.ticker)
  if (!asset)
    throw invalid(
      `amount.ticker must be one of ${rules.catalogue.crypto.map(({ ticker }) => ticker).join(', ')}`,
      'amount.ticker',
    )
  const networks = networksOf(asset, amount.blockchain, rules)
  const units = amount.value === undefined ? null : readValue(amount.value, asset, networks)
  return {
    ticker: asset.ticker,
    blockchain: amount.blockchain === undefined ? null : (amount.blockchain as Network),
    units,
  }
}

/** Returns the networks on which the asset can be paid: the named one, or all that are served here. */
const networksOf = (asset: CryptoAsset, blockchain: string | undefined, { networks }: Rules): AssetOnNetwork[] => {
  const served = [...asset.networks.values()].filter(({ network }) => networks.has(network))
  if (blockchain === undefined) return served
  const on = isNetwork(blockchain) ? served.filter(({ network }) => network === blockchain) : []
  if (on.length === 0) {
    throw invalid(
      `${asset.ticker} can not be paid on ${JSON.stringify(blockchain)}: send one of ${served.map(({ network }) => network).join(', ')}`,
      'amount.blockchain',
    )
  }
  return on
}

const readValue = (value: string, asset: CryptoAsset, networks: readonly AssetOnNetwork[]): bigint => {
  const decimals = Math.max(...networks.map((on) => on.decimals))
  const parsed = parseUnits(value, decimals)
  if (!parsed.ok)
    throw invalid(`amount.value has more than the ${decimals} decimals that ${asset.ticker} has here`, 'amount.value')
  const units = parsed.units * 10n ** BigInt(asset.scale - decimals)
  if (networks.some((on) => canBeSent(units, asset, on))) return units
  const least = networks.map((on) => on.minDeposit).reduce((a, b) => (a < b ? a : b))
  throw invalid(
    `amount.value is at least ${formatUnits(least, asset.scale)} ${asset.ticker}: less would not be credited`,
    'amount.value',
  )
}

const DEFAULT_CLIENT_MS = 48 * 3_600_000

/** The page shows 48 hours of the default 72, and two thirds of any other duration (`contract.md` 18, row 18). */
const readDurations = (body: InvoiceBody): { duration: number; clientDuration: number } => {
  const duration = readDuration(body.duration, 'duration') ?? durations.cryptoInvoice.default
  const standard = body.duration === undefined ? DEFAULT_CLIENT_MS : Number(mulDiv(BigInt(duration), 2n, 3n, 'down'))
  const clientDuration = readDuration(body.clientDuration, 'clientDuration') ?? standard
  if (clientDuration > duration)
    throw invalid(`clientDuration is at most the duration, which is ${duration}`, 'clientDuration')
  return { duration, clientDuration }
}

const readDuration = (given: number | string | undefined, field: string): number | undefined => {
  if (given === undefined) return undefined
  const { min, max } = durations.cryptoInvoice
  const ms = Number(given)
  if (!Number.isSafeInteger(ms) || ms < min || ms > max)
    throw invalid(`${field} is in ms, from ${min} to ${max}`, field)
  return ms
}
