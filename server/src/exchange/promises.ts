import { estimateErrors } from '@bursar/contract'
import { Batcher } from '../base/batcher.ts'
import { inTransaction, type Db } from '../db/index.ts'
import { refusal } from '../orders/index.ts'
import type { ApiRefusal } from '../platform/route.ts'
import type { Runtime } from '../platform/runtime.ts'
import { boundsPassedBy, inventoryOf, type BoundedMove } from './inventory.ts'
import { insertQuotes, promisedOf, type NewPromise } from './store.ts'

/** Prices that are promised to merchants. An estimate counts against what there is to sell, and reserves nothing (decision 0030). */
export interface Promises {
  /** Resolves when it is stored. @throws ApiRefusal when there is not that much to sell that nobody was promised, or a limit of the position closes it */
  keep(promise: NewPromise): Promise<void>
}

/** What there is to sell is read so often; in between, what is promised here is counted here. */
const KEPT_MS = 500
const MOST_AT_ONCE = 200

interface Free {
  at: number
  /** inventory less what was promised when it was read; ledger units */
  read: Promise<bigint>
  /** promised here since */
  since: bigint
}

/** Promises that arrive while others are stored are stored together. */
export const createPromises = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promises => {
  const free = new Map<string, Free>()
  const storing = new Map<string, bigint>()
  const batcher = new Batcher<NewPromise, ApiRefusal | undefined>({ most: MOST_AT_ONCE, run: (promises) => store(db, promises) })
  const freeOf = (asset: string): Free => {
    const at = clock.now()
    const kept = free.get(asset)
    if (kept && Math.abs(at - kept.at) <= KEPT_MS) return kept
    const read = inTransaction(db, async (tx) => (await inventoryOf(tx, asset)) - (await promisedOf(tx, asset, new Date(at))))
    // What is being stored now may not be read yet: counted twice at worst.
    const fresh = { at, read, since: storing.get(asset) ?? 0n }
    free.set(asset, fresh)
    read.catch(() => free.delete(asset))
    return fresh
  }
  return {
    keep: async (promise) => {
      const { direction: { target: { ticker } }, quoted: { target: units } } = promise
      const known = freeOf(ticker)
      if ((await known.read) - known.since < units) throw noLiquidity(`there is not that much ${ticker} to sell`)
      known.since += units
      storing.set(ticker, (storing.get(ticker) ?? 0n) + units)
      const refused = await batcher.submit(promise).finally(() => storing.set(ticker, storing.get(ticker)! - units))
      if (refused) throw refused
    },
  }
}

const noLiquidity = (why: string): ApiRefusal => refusal(estimateErrors.notEnoughLiquidity, `Not enough liquidity: ${why}`)

/** Stores what no limit of a position closes. */
const store = async (db: Db, promises: readonly NewPromise[]): Promise<(ApiRefusal | undefined)[]> => {
  const passed = new Map((await boundsPassedBy(db, promises.flatMap(movesOf))).map((move) => [move.promise, move]))
  await insertQuotes(db, promises.filter((promise) => !passed.has(promise)))
  return promises.map((promise) => {
    const move = passed.get(promise)
    return move && noLiquidity(`no more ${move.asset} is ${move.units < 0n ? 'sold' : 'bought'} now`)
  })
}

/** What an exchange would move of the position. */
const movesOf = (promise: NewPromise): (BoundedMove & { promise: NewPromise })[] => {
  const { direction: { spend, target }, quoted } = promise
  return [
    { promise, asset: spend.ticker, units: quoted.exchange, bounds: spend },
    { promise, asset: target.ticker, units: -quoted.target, bounds: target },
  ]
}
