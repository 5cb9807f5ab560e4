import { orderErrors } from '@bursar/contract'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { carriedOn } from '../exchange-withdrawals/index.ts'
import { priceOrder, readDirection, type TradingDeps } from '../exchanges/index.ts'
import { forEachIsolated, IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import {
  checkLargest,
  currentFee,
  readAsset,
  readPlace,
  type Place,
  type PlacingDeps,
  type Terms,
} from '../../pay-out/withdrawals/index.ts'
import { convert, giveUpConversion, maySucceedLater, type Step } from './commands.ts'
import type { Conversion } from './conversion.ts'
import { lockWaiting, nextConversions, postponeConversion } from './store.ts'

export interface ConversionDeps {
  trading: Omit<TradingDeps, 'quoteStore'>
  placing: PlacingDeps
  /** the current terms of withdrawals */
  terms(): Promise<Terms>
  pause: PausePoint
}

const MOST = 20
const RETRY_MS = 15_000
/** When a market stays closed for longer, the money stays unconverted. */
const GIVE_UP_AFTER_MS = 3_600_000

/**
 * Creates the job that converts credited money to its targets, each step in one transaction. It calls no counterparty.
 * Conversions that other workers are at give it nothing more to do.
 */
export const createConversionJob = (deps: ConversionDeps, everyMs: number): Job => ({
  name: 'conversions',
  everyMs,
  idleMs: IDLE_MS,
  run: async () => {
    const { runtime } = deps.trading
    const due = await nextConversions(runtime.db, momentOf(runtime).at, MOST)
    let changed = false
    await forEachIsolated(due, async (conversion) => {
      if (await convertOne(deps, conversion)) changed = true
    })
    return changed
  },
})

/** @returns false when another worker is at it, and nothing was changed */
const convertOne = async (deps: ConversionDeps, conversion: Conversion): Promise<boolean> => {
  const { runtime } = deps.trading
  try {
    const step = await stepOf(deps, conversion)
    await deps.pause('conversion-priced')
    return await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const locked = await lockWaiting(tx, conversion)
      // Another worker may have carried out a step since this one was priced.
      if (!locked || locked.units !== conversion.units) return false
      await carryOut(tx, await convert(tx, deps.trading, locked, step, moment), moment)
      return true
    })
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    await refused(deps, conversion, error)
    return true
  }
}

const refused = async (
  { trading: { runtime }, placing }: ConversionDeps,
  conversion: Conversion,
  why: ApiRefusal,
): Promise<void> => {
  const moment = momentOf(runtime)
  const isYoung = moment.at.getTime() - (conversion.releasedAt ?? conversion.createdAt).getTime() < GIVE_UP_AFTER_MS
  if (isYoung && maySucceedLater(why))
    return postponeConversion(runtime.db, conversion, new Date(moment.at.getTime() + RETRY_MS))
  await inTransaction(runtime.db, async (tx) => {
    const locked = await lockWaiting(tx, conversion)
    if (locked) await carryOut(tx, await giveUpConversion(tx, locked, why, placing.rules.catalogue, moment), moment)
  })
}

/** Makes the next step: as much as one exchange allows, at the current price. @throws ApiRefusal */
const stepOf = async (deps: ConversionDeps, conversion: Conversion): Promise<Step> => {
  const { merchantId, ticker, units, target } = conversion
  const terms = await deps.terms()
  const place = target.address === null ? undefined : await placeOf(deps, conversion, target.address, terms)
  const fee = (sent: bigint): bigint => {
    checkLargest(place!, merchantId, sent, terms.days)
    return currentFee(place!.where, sent, place!.internal, terms, deps.placing.rules.catalogue)
  }
  if (target.ticker === ticker) return { order: undefined, place, currentFee: fee, left: 0n }
  const plain = readDirection(deps.trading.policy, { spendTicker: ticker, targetTicker: target.ticker }, orderErrors)
  const direction = place ? carriedOn(plain, place.where) : plain
  const { step, max } = direction.spend
  const amount = ((units < max ? units : max) / step) * step
  // A rest that is less than the minimum of an exchange stays on the balance.
  const rest = units - amount
  const order = await priceOrder(deps.trading, {
    merchantId,
    direction,
    side: 'spend',
    amount,
    limit: undefined,
    fee: undefined,
    keyId: null,
    localId: null,
    meta: null,
  })
  return { order, place, currentFee: fee, left: rest < direction.spend.min ? 0n : rest }
}

const placeOf = async (
  { placing }: ConversionDeps,
  { merchantId, target }: Conversion,
  to: string,
  terms: Terms,
): Promise<Place> => {
  const where = readAsset(
    { ticker: target.ticker, blockchain: target.blockchain! },
    placing.rules,
    orderErrors.invalidOrder,
  )
  return readPlace(placing, { merchantId, to }, where, terms)
}
