import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import {
  coinUnderWay,
  currentState,
  isNonceSound,
  type HotKey,
  type Load,
  loadsOf,
  nativeLedgerUnits,
  readPlannedAmong,
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

/** The spendable balance of a wallet by ticker, in ledger units, after all pending payments. */
export class HotBalance {
  readonly #left: Map<string, bigint>

  constructor(left: ReadonlyMap<string, bigint>) {
    this.#left = new Map(left)
  }

  /** Negative if pending payments exceed the balance. */
  left(ticker: string): bigint {
    return this.#left.get(ticker) ?? 0n
  }

  lacks(ticker: string, units: bigint): boolean {
    return this.left(ticker) < units
  }

  /** Whether the balance covers all parts together. */
  hasAll(parts: readonly { ticker: string; units: bigint }[]): boolean {
    return new HotBalance(this.#left).pay(parts) === undefined
  }

  /** Subtracts all parts, or none of them. @returns a ticker whose balance is too low */
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

/** A hot address, while payouts are planned. */
export interface Member {
  key: HotKey
  /** number of transactions that it may still send before one is mined */
  slots: number
  hotBalance: HotBalance
  /**
   * number of transactions planned from it: those before its balance was read, and this run's since. While it is not
   * the database's, another planner may spend the same balance
   */
  planned: number
}

export interface Part {
  ticker: string
  /** ledger units */
  units: bigint
}

/**
 * Returns the address that pays: of those that can, the one with the most free slots, so that the load is spread.
 * Undefined if none can.
 */
export const choosePayer = (members: readonly Member[], parts: readonly Part[]): Member | undefined => {
  const able = members.filter(({ slots, hotBalance }) => slots > 0 && hotBalance.hasAll(parts))
  return able.toSorted((a, b) => b.slots - a.slots || a.key.index - b.key.index)[0]
}

/**
 * Returns the ticker of which all members together have too little; undefined if they have enough in total, but not at
 * one address.
 */
export const lackingOf = (members: readonly Member[], parts: readonly Part[]): string | undefined => {
  const wanted = new Map<string, bigint>()
  for (const { ticker, units } of parts) wanted.set(ticker, (wanted.get(ticker) ?? 0n) + units)
  return [...wanted].find(([ticker, units]) => sumOf(members, ticker) < units)?.[0]
}

const sumOf = (members: readonly Member[], ticker: string): bigint =>
  members.reduce((sum, { hotBalance }) => sum + (hotBalance.left(ticker) > 0n ? hotBalance.left(ticker) : 0n), 0n)

type Deps = Pick<EvmPayoutDeps, 'runtime' | 'network' | 'adapter' | 'catalogue' | 'hotKeys' | 'policy'>

/** Returns the number of transactions that each hot address may still send now, without those that may send none. */
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
 * Returns the amounts that hot addresses can still spend: their balances in a block less everything that is not mined
 * yet. The order of the reads matters:
 * 1. how many transactions were planned: one that is planned later changes the count, and then nothing is planned on
 *    these balances (`takeExpected`);
 * 2. unmined transactions: they include every transaction that was counted;
 * 3. the balances, of a block that is not older than those: a transaction that is mined in between is subtracted twice,
 *   never left out.
 * The free slots are counted by 2 again, for the same reason: those that were free before 1 may be another planner's by
 * now. An address with inconsistent nonces is left out, with an alert.
 */
export const readMembers = async (deps: Deps, free: readonly { key: HotKey }[]): Promise<Member[]> => {
  const { runtime, network, catalogue, policy } = deps
  const all = free.map(({ key }) => key.address)
  const counts = await plannedCounts(deps, all)
  const [loads, topUps, leaving, moving, cold] = await Promise.all([
    loadsOf(runtime.db, network, all),
    coinUnderWay(runtime.db, network, all, 'gas'),
    unminedBySender(runtime.db, network),
    movingFrom(runtime.db, network),
    Promise.all(all.map((address) => toColdOf(runtime.db, network, undefined, address))),
  ])
  const state = await currentState(deps)
  const areSound = await Promise.all(all.map((hotAddress) => isNonceSound({ ...deps, hotAddress, state })))
  const sound = free.flatMap((one, i) => {
    const planned = counts.get(one.key.address)
    return areSound[i] && planned !== undefined ? [{ ...one, planned, toCold: cold[i]! }] : []
  })
  const assets = catalogue.crypto.filter((asset) => asset.networks.has(network))
  const wanted = sound.flatMap(({ key: { address } }) =>
    assets.map((asset) => ({ address, contract: asset.networks.get(network)!.contract })),
  )
  const balances = await state.balances(wanted)
  return sound.map(({ key, planned, toCold }, at) => {
    const load = loads.get(key.address) ?? NOTHING
    const sent = load.fees + (topUps.get(key.address) ?? 0n)
    const coin = nativeLedgerUnits(catalogue, network, sent)
    const left = assets.map((asset, i): [string, bigint] => {
      const { ticker, scale } = asset
      const held = rescale(balances[at * assets.length + i]!, asset.networks.get(network)!.decimals, scale)
      const gone =
        (leaving.get(`${key.address}/${ticker}`) ?? 0n) +
        (moving.get(`${key.address}/${ticker}`) ?? 0n) +
        (toCold.get(ticker) ?? 0n)
      return [ticker, held - gone - (ticker === NATIVE_TICKER[network] ? coin : 0n)]
    })
    const slots = Math.max(0, policy.mostInFlight - load.transactions)
    return { key, slots, planned, hotBalance: new HotBalance(new Map(left)) }
  })
}

/** Reads the counts. An address without one begins its nonces where the chain is. */
const plannedCounts = async (deps: Deps, addresses: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const { runtime, network } = deps
  const counts = await readPlannedAmong(runtime.db, network, addresses)
  const missing = addresses.filter((address) => !counts.has(address))
  if (missing.length === 0) return counts
  for (const hotAddress of missing) await isNonceSound({ ...deps, hotAddress })
  return readPlannedAmong(runtime.db, network, addresses)
}

/** A transfer from one hot address to another. Its transaction has the same id. */
export interface HotMove extends Part {
  from: string
  to: string
}

export const insertHotMove = async (tx: Tx, id: string, network: Network, move: HotMove, at: Date): Promise<void> => {
  await sql`insert into hot_moves(id, network, asset, from_address, to_address, units, created_at)
    values (${id}, ${network}, ${move.ticker}, ${move.from}, ${move.to}, ${move.units}, ${at})`.execute(tx)
}

/** Returns the sums of transfers between hot addresses that are not mined yet, by `ADDRESS/TICKER`, in ledger units. */
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

/** Raises an alert that withdrawals wait for money. @returns false: nothing was planned */
export const alertShort = async (
  { runtime, hotAddress }: { runtime: Runtime; hotAddress: string },
  network: Network,
  ticker: string,
): Promise<false> => {
  const text = `The hot wallet ${hotAddress} on ${network} has too little ${ticker} for the withdrawals that wait: send it more`
  await raiseAlert(runtime.db, { kind: 'hot-wallet-short', subject: `${network}/${ticker}`, text }, momentOf(runtime))
  return false
}

/** Resolves the alerts of assets of which the hot wallet has enough for all waiting withdrawals. */
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

/** Resolves the alerts of assets for which no withdrawal waits any more. */
export const nothingToPay = async (
  { runtime, catalogue }: { runtime: Runtime; catalogue: Pick<Catalogue, 'crypto'> },
  network: Network,
): Promise<void> => {
  const waiting = await tickersWaiting(runtime.db, network)
  const over = catalogue.crypto.filter(({ ticker, networks }) => networks.has(network) && !waiting.has(ticker))
  // A withdrawal of a token may wait for native coin for its fee.
  const kinds = waiting.size === 0 ? (['hot-wallet-short', PAYMENTS_REVERT] as const) : ([PAYMENTS_REVERT] as const)
  const subjects = over.map(({ ticker }) => `${network}/${ticker}`)
  await resolveAlertsOf(runtime.db, kinds, subjects, momentOf(runtime).at)
}
