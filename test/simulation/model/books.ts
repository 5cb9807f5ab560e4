/**
 * The model's own books. It knows what payers sent and what the API answered, and nothing of the program's tables. What
 * a chain did with a transaction it asks the chain itself, past every front.
 */
import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../../server/src/market/assets/index.ts'

/** A payment by somebody outside to a merchant's address. */
export interface PaidIn {
  merchant: string
  network: Network
  ticker: string
  address: string
  hash: string
  /** base units of the network, of each output or log */
  units: bigint[]
}

/** A withdrawal that a merchant asked for, known by its local id. */
export interface PaidOut {
  merchant: string
  localId: string
  network: Network
  ticker: string
  /** receives nothing else, so that its balance is what was paid */
  to: string
  /** ledger units */
  units: bigint
  /** another merchant's address: paid without a transaction */
  receiver: string | null
}

/** An exchange that a merchant asked for. */
export interface Exchanged {
  merchant: string
  localId: string
  spend: string
  target: string
  /** ledger units that it takes if it is filled, fee included, by its estimate */
  spendUnits: bigint
}

/** Money of the operator's given to a merchant. */
export interface Granted {
  merchant: string
  ticker: string
  units: bigint
}

export interface Address {
  merchant: string
  network: Network
  address: string
}

/** A crypto invoice with an address of its own, which is also among the addresses. */
export interface Invoiced {
  merchant: string
  id: string
  network: Network
  ticker: string
  address: string
  /** ledger units that it asks for */
  units: bigint
}

export interface Books {
  readonly catalogue: Catalogue
  readonly addresses: Address[]
  readonly paidIn: PaidIn[]
  readonly paidOut: PaidOut[]
  readonly exchanged: Exchanged[]
  readonly granted: Granted[]
  readonly invoiced: Invoiced[]
  /** ids of invoices that their merchants closed by hand, or tried to */
  readonly closed: Set<string>
  /** new local ids, each used for one order only */
  nextLocalId(kind: string): string
}

export const createBooks = (catalogue: Catalogue): Books => {
  let last = 0
  return {
    catalogue,
    addresses: [],
    paidIn: [],
    paidOut: [],
    exchanged: [],
    granted: [],
    invoiced: [],
    closed: new Set(),
    nextLocalId: (kind) => `${kind}-${(last += 1)}`,
  }
}

/** Base units of a network as units of the ledger. */
export const toLedger = (catalogue: Catalogue, ticker: string, network: Network, units: bigint): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return units * 10n ** BigInt(asset.scale - asset.networks.get(network)!.decimals)
}

/** Units of the ledger as base units of a network, what is finer left out. */
export const fromLedger = (catalogue: Catalogue, ticker: string, network: Network, units: bigint): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return units / 10n ** BigInt(asset.scale - asset.networks.get(network)!.decimals)
}
