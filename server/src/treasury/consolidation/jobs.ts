import { isRefused } from '@bursar/chainkit'
import { gatherCoins, type Output } from '@bursar/chainkit/bitcoin'
import type { CoinChainAdapter, FeeRate } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import {
  anyChange,
  planConsolidation,
  spendable,
  spendableCoins,
  takeChange,
  type PausePoint,
  type SendingPolicy,
  type WalletKeys,
  isSending,
} from '../../chain/transactions/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { ConsolidationPolicy } from './policy.ts'
import { isLow, noteRate } from './rates.ts'
import { CoinTaken, insertJoining, mayPlan, type Joining } from './store.ts'

export interface ConsolidationDeps {
  runtime: Runtime
  catalogue: Catalogue
  adapter: CoinChainAdapter
  wallet: WalletKeys
  /** of Bitcoin */
  sending: SendingPolicy
  policy: ConsolidationPolicy
  pause: PausePoint
}

/**
 * Returns the payments that wait for coins, the oldest first, up to a number: the job leaves coins of their size alone.
 */
export type WaitingPayments = (at: Date, most: number) => Promise<Output[]>

const MOST_COINS = 10_000
const MOST_WAITING = 1_000

/** Creates the job that joins small coins while fees are low, so that payouts need few inputs when fees are high. */
export const createConsolidationJob = (deps: ConsolidationDeps, waitingPayments: WaitingPayments): Job => ({
  name: 'consolidate BITCOIN',
  everyMs: deps.policy.everyMs,
  run: async () => {
    await joinSmallCoins(deps, waitingPayments)
    return false
  },
})

const joinSmallCoins = async (deps: ConsolidationDeps, waitingPayments: WaitingPayments): Promise<void> => {
  const { runtime, policy, sending, wallet } = deps
  const { db } = runtime
  const { at } = momentOf(runtime)
  const { milliSatPerVb: rate, guessed } = await rateOf(deps.adapter)
  // A guessed rate was not observed, so it can't be judged as low.
  if (guessed === true) return
  await noteRate(db, 'BITCOIN', rate, at, policy.windowMs)
  if (!policy.enabled || rate > sending.patientRate || !(await isLow(db, 'BITCOIN', rate, at, policy))) return
  if ((await isSending(db, 'BITCOIN', 'consolidation')) || !(await mayPlan(db, at, wallet))) return
  const waiting = await waitingPayments(at, MOST_WAITING)
  const coins = (await spendableCoins(db, 'BITCOIN', MOST_COINS, wallet)).map((own) => spendable(wallet, own))
  const gathered = gatherCoins({
    ...policy,
    coins,
    waiting,
    changeScript: anyChange(wallet).script,
    feeRateMilliSatPerVb: rate,
  })
  if (gathered.length === 0) return
  const own = gathered.map((coin) => coin.own)
  const change = await takeChange(db, wallet)
  const plan = planConsolidation({ wallet, coins: own, change, feeRateMilliSatPerVb: rate, policy: sending })
  if (isRefused(plan)) {
    runtime.log.info({ coins: own.length, why: plan.message }, 'small coins are not consolidated')
    return
  }
  await deps.pause('coins-gathered')
  await storeJoining(deps, { plan, coins: own, change, feeRate: { kind: 'vbyte', milliSatPerVb: rate }, paysFor: null })
}

/** Stores the transaction; returns false, and stores nothing, when another process has taken a coin. */
export const storeJoining = async (
  { runtime }: Pick<ConsolidationDeps, 'runtime'>,
  joining: Omit<Joining, 'id'>,
): Promise<boolean> => {
  try {
    await inTransaction(runtime.db, (tx) => insertJoining(tx, { id: runtime.newId(), ...joining }, momentOf(runtime)))
    return true
  } catch (error) {
    if (error instanceof CoinTaken) return false
    throw error
  }
}

export const rateOf = async (adapter: CoinChainAdapter): Promise<Extract<FeeRate, { kind: 'vbyte' }>> => {
  const rate = await adapter.feeRate()
  if (rate.kind !== 'vbyte') throw new Error('a Bitcoin node estimates fees for each virtual byte')
  return rate
}
