import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Invoice } from '../../pay-in/crypto-invoices/index.ts'
import type { Deposit } from '../../pay-in/deposits/index.ts'
import type { FiatInvoice } from '../../pay-in/fiat-invoices/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Status } from '../frame/index.ts'

export const KINDS = ['crypto', 'card', 'deposit'] as const
/** `deposit`: to an address that belongs to no invoice. */
export type Kind = (typeof KINDS)[number]

/** A decimal as text. */
export interface Amount {
  value: string
  ticker: string
}

/** A payment of any kind, as lists show it. */
export interface Payment {
  kind: Kind
  id: string
  /** the key of its row in the list of its kind */
  key: string
  createdAt: Date
  status: Status
  /** of an invoice; null for a deposit */
  name: string | null
  meta: string | null
  email: string | null
  /** the requested amount, or that of the deposit; null while the payer has not chosen it */
  amount: Amount | null
  paid: Amount | null
  fee: Amount | null
  network: Network | null
  address: string | null
  hash: string | null
}

/** Null for an asset that the installation serves no more: its decimals are not known. */
export const amountOf = (units: bigint | null, ticker: string | null, catalogue: Catalogue): Amount | null => {
  const asset = ticker === null ? undefined : catalogue.find(ticker)
  return asset === undefined || units === null ? null : { value: formatUnits(units, asset.scale), ticker: asset.ticker }
}

const BASE_SCALE = 18

export const ofInvoice = (invoice: Invoice, catalogue: Catalogue): Payment => {
  const { id, state, ticker, base, units, paid } = invoice
  const isCredited = paid > 0n
  return {
    kind: 'crypto',
    id,
    key: id,
    createdAt: invoice.createdAt,
    status: invoiceStatus(state, isCredited),
    name: invoice.name,
    meta: invoice.meta,
    email: invoice.email,
    amount:
      base === null
        ? amountOf(units, ticker, catalogue)
        : { value: formatUnits(base.e18, BASE_SCALE), ticker: base.ticker },
    paid: isCredited ? amountOf(paid, ticker, catalogue) : null,
    fee: isCredited ? amountOf(invoice.fee, ticker, catalogue) : null,
    network: invoice.blockchain,
    address: invoice.address,
    hash: null,
  }
}

const invoiceStatus = (state: Invoice['state'], isCredited: boolean): Status => {
  switch (state) {
    case 'created':
    case 'registered':
      return 'waiting'
    case 'pending':
      return 'processing'
    case 'paid':
      return 'paid'
    case 'expired':
      return isCredited ? 'underpaid' : 'ended'
  }
}

const CARD: Readonly<Record<FiatInvoice['state'], Status>> = {
  created: 'waiting',
  pending: 'waiting',
  paid: 'processing',
  done: 'paid',
  failed: 'ended',
}

export const ofCardInvoice = (invoice: FiatInvoice & { key: string }, catalogue: Catalogue): Payment => {
  const { ticker, askedValue } = invoice
  return {
    kind: 'card',
    id: invoice.id,
    key: invoice.key,
    createdAt: invoice.createdAt,
    status: CARD[invoice.state],
    name: invoice.name,
    meta: invoice.meta,
    email: invoice.email,
    amount:
      amountOf(invoice.units, ticker, catalogue) ??
      (askedValue !== null && ticker !== null ? { value: askedValue, ticker } : null),
    paid: amountOf(invoice.paidUnits, ticker, catalogue),
    fee: amountOf(invoice.feeUnits, ticker, catalogue),
    network: null,
    address: null,
    hash: null,
  }
}

const DEPOSIT: Readonly<Record<Deposit['state'], Status>> = {
  pending: 'processing',
  orphaned: 'processing',
  held: 'checking',
  credited: 'paid',
  rejected: 'ended',
  suspended: 'ended',
  failed: 'ended',
}

/** @param hash of its transaction; null if it has none */
export const ofDeposit = (deposit: Deposit, hash: string | null, catalogue: Catalogue): Payment => {
  const { id, asset, units, state } = deposit
  const amount = amountOf(units, asset, catalogue)
  return {
    kind: 'deposit',
    id,
    key: id,
    createdAt: deposit.createdAt,
    status: DEPOSIT[state],
    name: null,
    meta: deposit.meta,
    email: null,
    amount,
    paid: state === 'credited' ? amount : null,
    fee: state === 'credited' ? amountOf(deposit.fee, asset, catalogue) : null,
    network: deposit.network,
    address: deposit.address,
    hash,
  }
}
