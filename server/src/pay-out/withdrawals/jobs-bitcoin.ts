import { isRefused } from '@bursar/chainkit'
import { canPay, dustThreshold } from '@bursar/chainkit/bitcoin'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  anyChange,
  insertPlanned,
  isUnderWay,
  knowChange,
  reserveCoins,
  spendable,
  spendableCoins,
  takeChange,
  yieldCoins,
  type BitcoinPlan,
  type ChangeKey,
  type OwnCoin,
} from '../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { type Batch, type BatchRules, chooseBatch, fit, paymentOf, planFor, satoshiOf } from './bitcoin-batch.ts'
import { attach } from './commands.ts'
import { refuseImpossible } from './receivers.ts'
import { takenByNode } from './jobs-judging.ts'
import { PAYOUT_REFUSED } from './refusals.ts'
import type { BitcoinPayoutDeps, PayoutDeps } from './payouts.ts'
import { holdRepeats } from './lost-repeats.ts'
import { nextWaiting, type Waiting } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

const MOST_COINS = 1000
/**
 * Withdrawals in one page. More pages are read while withdrawals wait for approvals or coins and the batch is not full.
 */
const PAGE = 200

/**
 * Plans one transaction that pays as many waiting withdrawals as the coins allow, oldest first. Returns true if one was
 * planned.
 */
export const planBitcoinBatch = async (deps: BitcoinPayoutDeps): Promise<boolean> => {
  const { runtime } = deps
  const first = await nextWaiting(runtime.db, 'BITCOIN', 'onChain', momentOf(runtime).at, PAGE)
  if (first.length === 0) {
    const kinds = ['hot-wallet-short', 'payout-fee-too-high', PAYOUT_REFUSED] as const
    await resolveAlertsOf(runtime.db, kinds, [SUBJECT], momentOf(runtime).at)
    return false
  }
  const rate = await deps.adapter.feeRate()
  if (rate.kind !== 'vbyte') throw new Error('a Bitcoin node estimates fees for each virtual byte')
  const coins = await spendableCoins(runtime.db, 'BITCOIN', MOST_COINS, deps.wallet)
  const batch = await fill(deps, first, coins, rate.milliSatPerVb)
  if (await alertShort(deps, batch)) return true
  if (!batch.leaves) return false
  const fitting = fit(deps, batch.chosen, coins, rate.milliSatPerVb)
  if (!fitting) {
    const text = `Paying ${batch.chosen.length} Bitcoin withdrawals would exceed the caps on fees: they wait for lower fees`
    await raiseAlert(runtime.db, { kind: 'payout-fee-too-high', subject: SUBJECT, text }, momentOf(runtime))
    return false
  }
  await resolveAlert(runtime.db, 'payout-fee-too-high', SUBJECT, momentOf(runtime).at)
  const taken = await takenByNode(deps, fitting, coins, rate.milliSatPerVb)
  if (!taken || taken.length === 0) return taken !== undefined
  const change = await takeChange(runtime.db, deps.wallet)
  const plan = planFor(deps, taken, coins, change, rate.milliSatPerVb)
  if (isRefused(plan)) throw new Error(`no payout can be built: ${plan.message}`)
  await deps.pause('batch-chosen')
  return store(deps, plan, taken, change, rate)
}

const SUBJECT = 'BITCOIN/BTC'

/**
 * Reads pages until the batch is full, so that withdrawals that wait for approvals or coins do not hide younger ones.
 */
const fill = async (
  deps: PayoutDeps,
  first: Waiting[],
  coins: readonly OwnCoin[],
  feeRateMilliSatPerVb: bigint,
): Promise<Batch<Withdrawal>> => {
  const { runtime, policy } = deps
  const { at } = momentOf(runtime)
  const all = coins.map((own) => spendable(deps.wallet, own))
  const held = coins.reduce((sum, coin) => sum + coin.units, 0n)
  const changeScript = anyChange(deps.wallet).script
  const pays = (chosen: readonly Withdrawal[]): boolean =>
    chosen.reduce((sum, one) => sum + satoshiOf(deps, one), 0n) < held &&
    canPay({ coins: all, outputs: chosen.map((one) => paymentOf(deps, one)), changeScript, feeRateMilliSatPerVb })
  const ready: Withdrawal[] = []
  const alone = new Set<string>()
  for (let page = first; ;) {
    ready.push(...(await deps.approved(await leaveOutDust(deps, await holdRepeats(deps, page)))))
    for (const one of page) if (one.alone) alone.add(one.id)
    const batch = chooseAmong(ready, alone, (some, rules) => chooseBatch(some, pays, rules, at.getTime()), policy)
    if (page.length < PAGE || batch.chosen.length === policy.mostPayments) return batch
    page = await nextWaiting(runtime.db, 'BITCOIN', 'onChain', at, PAGE, page.at(-1))
  }
}

/**
 * Chooses between a withdrawal that is paid alone and a batch of the others: the one with the oldest withdrawal, unless
 * only the other is ready to be sent.
 */
const chooseAmong = (
  ready: readonly Withdrawal[],
  alone: ReadonlySet<string>,
  choose: (some: readonly Withdrawal[], rules: BatchRules) => Batch<Withdrawal>,
  rules: BatchRules,
): Batch<Withdrawal> => {
  const isAlone = ({ id }: Withdrawal): boolean => alone.has(id)
  const together = choose(
    ready.filter((one) => !isAlone(one)),
    rules,
  )
  if (alone.size === 0) return together
  const single = choose(ready.filter(isAlone), { ...rules, mostPayments: 1, batchWaitMs: 0 })
  const [first, second] = ready[0] !== undefined && isAlone(ready[0]) ? [single, together] : [together, single]
  const best = first.leaves || !second.leaves ? first : second
  return { ...best, short: together.short ?? single.short }
}

/** Nodes relay no payment below dust at any fee, so such a withdrawal is given back. */
const leaveOutDust = async (deps: PayoutDeps, page: readonly Withdrawal[]): Promise<Withdrawal[]> => {
  const sound: Withdrawal[] = []
  for (const one of page) {
    const { script, units } = paymentOf(deps, one)
    if (units >= dustThreshold(script)) sound.push(one)
    else
      await refuseImpossible(
        deps,
        one,
        `nodes relay no payment below ${dustThreshold(script)} satoshi to such an address`,
      )
  }
  return sound
}

/**
 * Raises an alert if coins are missing. Returns true if coins reserved for cold storage were released instead: the
 * caller then plans again.
 */
const alertShort = async (
  { runtime, catalogue, policy }: PayoutDeps,
  { short }: Batch<Withdrawal>,
): Promise<boolean> => {
  const moment = momentOf(runtime)
  if (!short) {
    await resolveAlert(runtime.db, 'hot-wallet-short', SUBJECT, moment.at)
    return false
  }
  if ((await inTransaction(runtime.db, (tx) => yieldCoins(tx, 'BITCOIN', moment))) > 0) return true
  // The change of pending transactions may suffice.
  const isYoung = moment.at.getTime() - short.createdAt.getTime() < policy.saveUpAfterMs
  if (isYoung && (await isUnderWay(runtime.db, 'BITCOIN'))) return false
  const amount = formatUnits(short.units, catalogue.findCrypto(short.ticker)!.scale)
  const text = `The Bitcoin wallet does not hold enough confirmed coins for all withdrawals that wait, the oldest of ${amount} BTC: send coins to it`
  await raiseAlert(runtime.db, { kind: 'hot-wallet-short', subject: SUBJECT, text }, moment)
  return false
}

const store = async (
  deps: PayoutDeps,
  plan: BitcoinPlan,
  paid: readonly Withdrawal[],
  change: ChangeKey,
  feeRate: unknown,
): Promise<boolean> => {
  const { runtime } = deps
  const id = runtime.newId()
  const moment = momentOf(runtime)
  class Taken extends Error {}
  try {
    await inTransaction(runtime.db, async (tx) => {
      await knowChange(tx, change, moment.at)
      await insertPlanned(
        tx,
        {
          id,
          network: 'BITCOIN',
          purpose: 'payout',
          senders: plan.senders,
          nonce: null,
          keys: plan.keys,
          unsigned: Buffer.from(plan.payout.psbt).toString('hex'),
          signingKeys: plan.signingKeys,
          feeRate,
          networkFee: plan.payout.fee,
        },
        moment,
      )
      const reserved = await reserveCoins(tx, 'BITCOIN', plan.coins, id)
      if (!reserved || !(await attach(tx, paid, id, moment))) throw new Taken()
    })
    return true
  } catch (error) {
    // Another process has taken a coin or a withdrawal: nothing is stored, and the next run plans again.
    if (error instanceof Taken) return true
    throw error
  }
}
