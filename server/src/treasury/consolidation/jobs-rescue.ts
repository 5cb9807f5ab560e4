import { isRefused } from '@bursar/chainkit'
import {
  feeAt,
  parsePsbt,
  parseTransaction,
  TRANSACTION_VERSION,
  TRUC_CHILD_MAX_VSIZE,
  TRUC_VERSION,
  type Ancestors,
} from '@bursar/chainkit/bitcoin'
import type { PoolCost } from '../../adapters/chains/port.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import {
  anyChange,
  bitcoinKey,
  planConsolidation,
  rawOf,
  takeChange,
  vsizeOf,
  type Attempt,
  type OwnCoin,
} from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { rateOf, storeJoining, type ConsolidationDeps } from './jobs.ts'
import { mayPlan, stuckDeposits } from './store.ts'

const EVERY_MS = 30_000
/** Most transactions of one run, those that bring most first: many small ones of one sender would delay others. */
const MOST_STUCK = 500
/**
 * Most virtual bytes of a deposit and its unconfirmed ancestors. We pay for all of them, so without a limit a payer
 * could have large transactions mined for a share of each deposit. A payout of an exchange to a hundred receivers fits.
 */
const MOST_FOREIGN_VSIZE = 5_000

/** Pays for deposits that have long been unconfirmed because of a low fee, by spending their outputs to ourselves. */
export const createRescueJob = (deps: ConsolidationDeps): Job => ({
  name: 'rescue BITCOIN',
  everyMs: Math.min(EVERY_MS, deps.policy.everyMs),
  run: async () => {
    const { runtime, policy } = deps
    const { at } = momentOf(runtime)
    const stuck = await stuckDeposits(runtime.db, new Date(at.getTime() - policy.rescueAfterMs), MOST_STUCK)
    if (stuck.length === 0 || !(await mayPlan(runtime.db, at, deps.wallet))) return false
    const { milliSatPerVb: rate } = await rateOf(deps.adapter)
    await forEachIsolated(
      Map.groupBy(stuck, (output) => output.transaction),
      async ([transaction, outputs]) => {
        const coins = outputs.map(({ vout, address, index, units }): OwnCoin => {
          const asset = deps.catalogue.findCrypto('BTC')!
          return {
            transaction,
            vout,
            address,
            account: 'deposit',
            branch: 0,
            index,
            units: rescale(units, asset.scale, asset.networks.get('BITCOIN')!.decimals),
          }
        })
        await payFor(deps, transaction, coins, rate, {
          mostPerMille: policy.rescuePerMille,
          mostVsize: MOST_FOREIGN_VSIZE,
        })
      },
    )
    return false
  },
})

/**
 * Pays for a stuck transaction of ours by spending its outputs to us. Returns true when nothing more is needed: the
 * child was planned, or the transaction already pays the rate.
 */
export const payForParent =
  (deps: ConsolidationDeps) =>
  async (_outgoing: unknown, attempt: Attempt, rate: bigint, below?: bigint): Promise<boolean> => {
    const coin = ownOutputOf(deps, attempt)
    if (coin === undefined || !(await mayPlan(deps.runtime.db, momentOf(deps.runtime).at, deps.wallet))) return false
    const alone = { vsize: vsizeOf(attempt.unsigned), fee: attempt.networkFee }
    return payFor(deps, coin.transaction, [coin], rate, {
      mostPerMille: deps.sending.maxFeePerMille,
      alone,
      ...(below !== undefined && { below }),
    })
  }

interface WorthIt {
  /** thousandths of the value of the coins: a rescue that costs more is not worth it */
  mostPerMille: bigint
  /** of the transaction and its unconfirmed ancestors */
  mostVsize?: number
  /** satoshi: cost of the alternative */
  below?: bigint
  /** the transaction itself, where the node may not have it: then it is submitted together with its child */
  alone?: Ancestors
}

const payFor = async (
  deps: ConsolidationDeps,
  transaction: string,
  all: readonly OwnCoin[],
  rate: bigint,
  { mostPerMille, mostVsize, below, alone }: WorthIt,
): Promise<boolean> => {
  const { wallet, sending, runtime } = deps
  const inPool = await deps.adapter.poolCost(transaction)
  const ancestors = inPool ? together(inPool) : alone
  if (!ancestors) return false
  if (ancestors.fee >= feeAt(rate, ancestors.vsize)) return true
  if (mostVsize !== undefined && ancestors.vsize > mostVsize) {
    runtime.log.info({ transaction, vsize: ancestors.vsize }, 'a stuck transaction is too large for raising its fee')
    return false
  }
  const parent = await parentOf(deps, transaction)
  // A TRUC transaction (version 3) has at most one child.
  if (parent.version === TRUC_VERSION && inPool && inPool.descendants.count > 0) return false
  const coins = parent.version === TRUC_VERSION ? mostOf(all, MOST_TRUC_COINS) : all
  const planWith = (change: ReturnType<typeof anyChange>) =>
    planConsolidation({
      wallet,
      coins,
      change,
      ancestors,
      transactionVersion: parent.version,
      feeRateMilliSatPerVb: rate,
      policy: sending,
    })
  const cost = planWith(anyChange(wallet))
  const held = coins.reduce((sum, { units }) => sum + units, 0n)
  if (
    isRefused(cost) ||
    cost.networkFee * 1000n > held * mostPerMille ||
    (below !== undefined && cost.networkFee >= below)
  ) {
    const why = isRefused(cost) ? cost.message : `it would cost ${cost.networkFee} satoshi`
    runtime.log.info({ transaction, why }, 'the fee of a stuck transaction is not raised')
    return false
  }
  const change = await takeChange(runtime.db, wallet)
  const plan = planWith(change)
  if (isRefused(plan)) return false
  await deps.pause('child-chosen')
  return storeJoining(deps, {
    plan,
    coins,
    change,
    feeRate: { kind: 'vbyte', milliSatPerVb: rate },
    paysFor: transaction,
  })
}

/** Inputs that fit into a TRUC child: each has 68 virtual bytes. */
const MOST_TRUC_COINS = Math.floor((TRUC_CHILD_MAX_VSIZE - 100) / 68)

const mostOf = (coins: readonly OwnCoin[], most: number): OwnCoin[] =>
  coins.toSorted((a, b) => (a.units > b.units ? -1 : 1)).slice(0, most)

/** Returns the version for our child: TRUC's when the parent has it, otherwise the usual one. */
const parentOf = async ({ adapter, runtime }: ConsolidationDeps, transaction: string): Promise<{ version: number }> => {
  const own = await rawOf(runtime.db, 'BITCOIN', transaction)
  const raw =
    own === undefined ? (await adapter.rawTransactions([transaction])).get(transaction) : Buffer.from(own, 'hex')
  const parsed = raw && parseTransaction(raw)
  return {
    version: parsed && !isRefused(parsed) && parsed.version === TRUC_VERSION ? TRUC_VERSION : TRANSACTION_VERSION,
  }
}

/** Adds up a transaction and its unconfirmed ancestors, which are all mined before the one that pays for them. */
const together = ({ vsize, fee, ancestors }: PoolCost): Ancestors => ({
  vsize: vsize + ancestors.vsize,
  fee: fee + ancestors.fee,
})

const ownOutputOf = ({ wallet }: ConsolidationDeps, { unsigned, hash }: Attempt): OwnCoin | undefined => {
  const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
  if (isRefused(psbt) || hash === null) return undefined
  const vout = psbt.outputs.findIndex(({ origins }) => origins.length > 0)
  const output = psbt.outputs[vout]
  const index = output?.origins[0]?.path.at(-1)
  if (!output || index === undefined) return undefined
  const { address } = bitcoinKey(wallet, { account: 'hot', branch: 1, index })
  return { transaction: hash, vout, address, account: 'hot', branch: 1, index, units: output.units }
}
