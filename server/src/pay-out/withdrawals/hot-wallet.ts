import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import {
  currentState,
  isNonceSound,
  type HotKey,
  type Load,
  loadsOf,
  nativeLedgerUnits,
  type NonceLine,
  readNonceLines,
} from '../../chain/transactions/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { raiseAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { toColdOf } from '../../treasury/reconciliation/index.ts'
import type { EvmPayoutDeps } from './payouts.ts'
import { PAYMENTS_REVERT } from './receivers.ts'
import { tickersWaiting, unminedBySender } from './store.ts'

/** What a wallet can still spend, in ledger units by ticker, after everything that is on its way. */
export class HotBalance {
  readonly #left: Map<string, bigint>

  constructor(left: ReadonlyMap<string, bigint>) {
    this.#left = new Map(left)
  }

  /** Below 0 when more is on its way than is there. */
  left(ticker: string): bigint {
    return this.#left.get(ticker) ?? 0n
  }

  lacks(ticker: string, units: bigint): boolean {
    return this.left(ticker) < units
  }

  /** Whether all parts are there together. */
  hasAll(parts: readonly { ticker: string; units: bigint }[]): boolean {
    return new HotBalance(this.#left).pay(parts) === undefined
  }

  /** Takes all parts, or nothing. @returns the ticker there is too little of */
  pay(parts: readonly { ticker: string; units: bigint }[]): string | undefined {
    const after = new Map(this.#left)
    for (const { ticker, units } of parts) {
      const left = (after.get(ticker) ?? 0n) - units
      if (left < 0n) return ticker
      after.set(ticker, left)
    }
    for (const [ticker, units] of after) this.#left.set(ticker, units)
    return undefined
  }
}

/** One hot address while payouts are planned. */
export interface Member {
  key: HotKey
  /** transactions it may still send before a block shows any */
  slots: number
  hotBalance: HotBalance
  /** the nonces it has next, read before its balance: what took one of them meanwhile spends the same balance */
  nonces: NonceLine
}

export interface Part {
  ticker: string
  /** ledger units */
  units: bigint
}

/**
 * The address that pays: of those that can, the one with the most room, so that all of them work. Undefined when none
 * can.
 */
export const choosePayer = (members: readonly Member[], parts: readonly Part[]): Member | undefined => {
  const able = members.filter(({ slots, hotBalance }) => slots > 0 && hotBalance.hasAll(parts))
  return able.toSorted((a, b) => b.slots - a.slots || a.key.index - b.key.index)[0]
}

/** What all members together have too little of; undefined when it only lies in too many places. */
export const lackingOf = (members: readonly Member[], parts: readonly Part[]): string | undefined => {
  const wanted = new Map<string, bigint>()
  for (const { ticker, units } of parts) wanted.set(ticker, (wanted.get(ticker) ?? 0n) + units)
  return [...wanted].find(([ticker, units]) => sumOf(members, ticker) < units)?.[0]
}

const sumOf = (members: readonly Member[], ticker: string): bigint =>
  members.reduce((sum, { hotBalance }) => sum + (hotBalance.left(ticker) > 0n ? hotBalance.left(ticker) : 0n), 0n)

type Deps = Pick<EvmPayoutDeps, 'runtime' | 'network' | 'adapter' | 'catalogue' | 'hotKeys' | 'policy'>

/** Transactions that each hot address may still send now; those without any are left out. */
export const freeSlots = async ({
  runtime,
  network,
  hotKeys,
  policy,
}: Deps): Promise<{ key: HotKey; slots: number }[]> => {
  const loads = await loadsOf(
    runtime.db,
    network,
    hotKeys.map(({ address }) => address),
  )
  return hotKeys
    .map((key) => ({ key, slots: policy.mostInFlight - (loads.get(key.address)?.transactions ?? 0) }))
    .filter(({ slots }) => slots > 0)
}

const NOTHING: Load = { transactions: 0, fees: 0n }

/**
 * Returns what hot addresses can still spend: their balances in a block less everything that is not mined yet. The
 * order of the reads matters:
 * 1. the nonces: a payment that is planned later takes one of them, and then nothing is planned on these balances;
 * 2. what is on its way: it includes every payment whose nonce was taken before;
 * 3. the balances, of a block that is not older than those: what is mined in between is subtracted twice, never left
 *   out.
 * An address whose nonces are not sound is left out, which raises an alert.
 */
export const readMembers = async (deps: Deps, free: readonly { key: HotKey; slots: number }[]): Promise<Member[]> => {
  const { runtime, network, catalogue } = deps
  const all = free.map(({ key }) => key.address)
  const lines = await nonceLines(deps, all)
  const [loads, leaving, moving, cold] = await Promise.all([
    loadsOf(runtime.db, network, all),
    unminedBySender(runtime.db, network),
    movingFrom(runtime.db, network),
    Promise.all(all.map((address) => toColdOf(runtime.db, network, undefined, address))),
  ])
  const state = await currentState(deps)
  const areSound = await Promise.all(all.map((hotAddress) => isNonceSound({ ...deps, hotAddress, state })))
  const sound = free.flatMap((one, i) => {
    const nonces = lines.get(one.key.address)
    return areSound[i] && nonces ? [{ ...one, nonces, toCold: cold[i]! }] : []
  })
  const assets = catalogue.crypto.filter((asset) => asset.networks.has(network))
  const wanted = sound.flatMap(({ key: { address } }) =>
    assets.map((asset) => ({ address, contract: asset.networks.get(network)!.contract })),
  )
  const balances = await state.balances(wanted)
  return sound.map(({ key, slots, nonces, toCold }, at) => {
    const fees = nativeLedgerUnits(catalogue, network, (loads.get(key.address) ?? NOTHING).fees)
    const left = assets.map((asset, i): [string, bigint] => {
      const { ticker, scale } = asset
      const held = rescale(balances[at * assets.length + i]!, asset.networks.get(network)!.decimals, scale)
      const gone =
        (leaving.get(`${key.address}/${ticker}`) ?? 0n) +
        (moving.get(`${key.address}/${ticker}`) ?? 0n) +
        (toCold.get(ticker) ?? 0n)
      return [ticker, held - gone - (ticker === NATIVE_TICKER[network] ? fees : 0n)]
    })
    return { key, slots, nonces, hotBalance: new HotBalance(new Map(left)) }
  })
}

/** Reads the next nonces. An address that has none yet begins where the chain is. */
const nonceLines = async (deps: Deps, addresses: readonly string[]): Promise<ReadonlyMap<string, NonceLine>> => {
  const { runtime, network } = deps
  const lines = await readNonceLines(runtime.db, network, addresses)
  const missing = addresses.filter((address) => !lines.has(address))
  if (missing.length === 0) return lines
  for (const hotAddress of missing) await isNonceSound({ ...deps, hotAddress })
  return readNonceLines(runtime.db, network, addresses)
}

/** Something that goes from one hot address to another; its transaction has the same id. */
export interface HotMove extends Part {
  from: string
  to: string
}

export const insertHotMove = async (tx: Tx, id: string, network: Network, move: HotMove, at: Date): Promise<void> => {
  await sql`insert into hot_moves(id, network, asset, from_address, to_address, units, created_at)
    values (${id}, ${network}, ${move.ticker}, ${move.from}, ${move.to}, ${move.units}, ${at})`.execute(tx)
}

/** What is on its way out of hot addresses to others and no block shows yet, by `ADDRESS/TICKER`. Ledger units. */
export const movingFrom = async (db: Db | Tx, network: Network): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{
    sender: string
    asset: string
    units: bigint
  }>`select m.from_address as sender, m.asset, sum(m.units) as units
    from hot_moves m join outgoing o on o.id = m.id
    where m.network = ${network} and o.state in ('planned', 'signed', 'broadcast') group by 1, 2`.execute(db)
  return new Map(rows.map(({ sender, asset, units }) => [`${sender}/${asset}`, units]))
}

/** Tells that withdrawals wait for money. @returns false: nothing was planned */
export const alertShort = async (
  { runtime, hotAddress }: { runtime: Runtime; hotAddress: string },
  network: Network,
  ticker: string,
): Promise<false> => {
  const text = `The hot wallet ${hotAddress} on ${network} has too little ${ticker} for the withdrawals that wait: send it more`
  await raiseAlert(runtime.db, { kind: 'hot-wallet-short', subject: `${network}/${ticker}`, text }, momentOf(runtime))
  return false
}

/** The hot wallet has enough of these for all that waits for them. */
export const noLongerShort = (
  { runtime }: { runtime: Runtime },
  network: Network,
  tickers: Iterable<string>,
): Promise<void> =>
  resolveAlertsOf(
    runtime.db,
    ['hot-wallet-short'],
    [...tickers].map((ticker) => `${network}/${ticker}`),
    momentOf(runtime).at,
  )

/**
 * Nothing is to be paid now: of assets that nobody waits for, nothing is lacking or reverts, whatever became of who
 * waited.
 */
export const nothingToPay = async (
  { runtime, catalogue }: { runtime: Runtime; catalogue: Pick<Catalogue, 'crypto'> },
  network: Network,
): Promise<void> => {
  const waiting = await tickersWaiting(runtime.db, network)
  const over = catalogue.crypto.filter(({ ticker, networks }) => networks.has(network) && !waiting.has(ticker))
  // Who waits for a token may lack the coin for its fee.
  const kinds = waiting.size === 0 ? ['hot-wallet-short', PAYMENTS_REVERT] : [PAYMENTS_REVERT]
  const subjects = over.map(({ ticker }) => `${network}/${ticker}`)
  await resolveAlertsOf(runtime.db, kinds, subjects, momentOf(runtime).at)
}
