import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Prices, Usage } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { ChainUnavailable } from '../../adapters/chains/port.ts'
import { finalHeightOf } from '../../chain/watcher/index.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { forEachIsolated } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import {
  inPayableForm,
  insertPlanned,
  nativeLedgerUnits,
  planTron,
  recentReference,
  tronCommitted,
  tronPayment,
  type TronPlan,
  countTronPayouts,
  tronFeesUnderWay,
  isPlannedStill,
  readPlanned,
} from '../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { toColdOf } from '../../treasury/reconciliation/index.ts'
import type { SpendableSun } from '../../treasury/sweeps/index.ts'
import { attach, postpone } from './commands.ts'
import { boundedForReceiver, mayPayCode, noLongerReverting, onRevert, runsReceiverCode } from './receivers.ts'
import { FEE_ABOVE_CAP } from './refusals.ts'
import type { TronPayoutDeps } from './payouts.ts'
import { alertShort, HotBalance, noLongerShort, nothingToPay } from './hot-wallet.ts'
import { holdRepeats } from './lost-repeats.ts'
import { nextWaiting } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** Withdrawals in one page. More pages are read while the hot address may send more. */
const PAGE = 100

/**
 * Plans a transaction for each waiting withdrawal, oldest first: from a deposit address if that burns less, otherwise
 * from the hot wallet, or, if that has too little, from a deposit address again. A withdrawal that no address can pay
 * is skipped. Returns true if it is worth running again at once: a transaction was planned, by this job or meanwhile by
 * another that plans from the hot address.
 */
export const planTronPayouts = async (deps: TronPayoutDeps): Promise<boolean> => {
  const { runtime, policy, hotAddress } = deps
  const { at } = momentOf(runtime)
  const round: Round = {
    slots: policy.mostInFlight - (await countTronPayouts(runtime.db, hotAddress)),
    made: false,
    isOvertaken: false,
    payable: new Set(),
    lacking: new Set(),
    failed: [],
  }
  for (let after: Withdrawal | undefined; round.slots > 0 && !round.isOvertaken;) {
    const page = await nextWaiting(runtime.db, 'TRON', 'onChain', at, PAGE, after)
    if (page.length === 0 && after === undefined) await nothingToPay(deps, 'TRON')
    await planPage(deps, await deps.approved(await holdRepeats(deps, page)), round)
    after = page.at(-1)
    // Without coin for fees no younger withdrawal can be paid either.
    if (page.length < PAGE || round.lacking.has(NATIVE_TICKER.TRON)) break
  }
  for (const ticker of round.lacking) await alertShort(deps, 'TRON', ticker)
  // A withdrawal that was not tried may lack it still.
  const enough = round.isOvertaken ? [] : [...round.payable].filter((ticker) => !round.lacking.has(ticker))
  if (enough.length > 0) await noLongerShort(deps, 'TRON', enough)
  if (round.failed.length > 0) throw round.failed[0]
  return round.made || round.isOvertaken
}

/** The state of one run. */
interface Round {
  /** number of transactions that the hot address may still send */
  slots: number
  made: boolean
  /** another job has planned from the hot address since its balance was read: nothing more is planned on that one */
  isOvertaken: boolean
  /** tickers of the withdrawals that were tried */
  payable: Set<string>
  /** tickers with too low a balance */
  lacking: Set<string>
  failed: unknown[]
}

const planPage = async (deps: TronPayoutDeps, ready: readonly Withdrawal[], round: Round): Promise<void> => {
  if (ready.length === 0) return
  const direct = (await deps.fromDeposits?.(ready, 'cheaper')) ?? new Set()
  if (direct.size > 0) {
    round.made = true
    await resolveAlertsOf(deps.runtime.db, [FEE_ABOVE_CAP], [...direct], momentOf(deps.runtime).at)
  }
  await planByHot(
    deps,
    ready.filter(({ id }) => !direct.has(id)),
    round,
  )
}

const planByHot = async (deps: TronPayoutDeps, ready: readonly Withdrawal[], round: Round): Promise<void> => {
  if (ready.length === 0) return
  // Read before the balances: a node that is still syncing shows coin that has been spent since.
  const reference = await recentReference(deps)
  const rate = await deps.adapter.feeRate()
  if (rate.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  const hot = await readHot(deps, ready)
  const short: { withdrawal: Withdrawal; lacking: string }[] = []
  await forEachIsolated(ready, async (withdrawal) => {
    if (round.slots === 0 || round.isOvertaken) return
    round.payable.add(withdrawal.ticker)
    const outcome = await planOne(deps, withdrawal, rate, hot, reference)
    if (typeof outcome === 'object') short.push({ withdrawal, ...outcome })
    if (outcome === 'overtaken') round.isOvertaken = true
    if (outcome === 'planned') {
      // The payment of a token also shows that there is coin for its fee.
      round.payable.add(NATIVE_TICKER.TRON)
      ;[round.made, round.slots] = [true, round.slots - 1]
    }
  }).catch((error: unknown) => round.failed.push(error))
  const direct =
    (await deps.fromDeposits?.(
      short.map(({ withdrawal }) => withdrawal),
      'short',
    )) ?? new Set()
  if (direct.size > 0) round.made = true
  for (const { withdrawal, lacking } of short) if (!direct.has(withdrawal.id)) round.lacking.add(lacking)
}

type Reference = Awaited<ReturnType<typeof recentReference>>
/** `lacking`: a ticker of which the hot wallet has too little */
type Outcome = 'planned' | 'not-planned' | 'overtaken' | { lacking: string }

const planOne = async (
  deps: TronPayoutDeps,
  withdrawal: Withdrawal,
  prices: Prices,
  hot: Hot,
  reference: Reference,
): Promise<Outcome> => {
  const { runtime, policy, adapter } = deps
  if (hot.balance.lacks(withdrawal.ticker, withdrawal.units)) return { lacking: withdrawal.ticker }
  const contract = await inPayableForm(adapter, contractOf(deps, withdrawal))
  const cost = boundedForReceiver(contract, await adapter.estimateCost(contract))
  if (!cost.ok) {
    if (cost.reason !== 'reverted') return { lacking: NATIVE_TICKER.TRON }
    await onRevert(deps, withdrawal, cost.message, () =>
      adapter.estimateCost(contractOf(deps, { ...withdrawal, to: deps.hotAddress })),
    )
    return 'not-planned'
  }
  await noLongerReverting(deps, 'TRON', [withdrawal.ticker])
  if (runsReceiverCode(contract) && !(await mayPayCode(deps, withdrawal))) return 'not-planned'
  const id = runtime.newId()
  const plan = planTron({ id, contract, reference, usage: cost.usage, prices })
  if (plan.networkFee > policy.maxFee) {
    await tooDear(deps, withdrawal, plan)
    return 'not-planned'
  }
  await resolveAlert(runtime.db, FEE_ABOVE_CAP, withdrawal.id, momentOf(runtime).at)
  const fee = nativeLedgerUnits(deps.catalogue, 'TRON', plan.networkFee)
  const lacking = hot.balance.pay([withdrawal, { ticker: NATIVE_TICKER.TRON, units: fee }])
  if (lacking !== undefined) return { lacking }
  await deps.pause('payout-chosen')
  const outcome = await storePlanned(deps, withdrawal, { id, plan, usage: cost.usage, prices }, hot.planned)
  if (outcome === 'planned') hot.planned += 1
  return outcome
}

const TOO_DEAR_MS = 60_000

const tooDear = async (
  { runtime, policy }: TronPayoutDeps,
  withdrawal: Withdrawal,
  { networkFee }: TronPlan,
): Promise<void> => {
  const { id } = withdrawal
  await postpone(runtime.db, withdrawal, new Date(momentOf(runtime).at.getTime() + TOO_DEAR_MS))
  const text = `Withdrawal ${id} waits: its fee on TRON could be ${networkFee} sun, above the cap of ${policy.maxFee}`
  await raiseAlert(runtime.db, { kind: FEE_ABOVE_CAP, subject: id, text }, momentOf(runtime))
}

const contractOf = ({ catalogue, hotAddress }: TronPayoutDeps, { ticker, to, units }: Withdrawal) => {
  const asset = catalogue.findCrypto(ticker)!
  const on = asset.networks.get('TRON')!
  return tronPayment({ from: hotAddress, to, units: rescale(units, asset.scale, on.decimals), contract: on.contract })
}

const storePlanned = async (
  deps: TronPayoutDeps,
  withdrawal: Withdrawal,
  { id, plan, usage, prices }: { id: string; plan: TronPlan; usage: Usage; prices: Prices },
  planned: number,
): Promise<'planned' | 'not-planned' | 'overtaken'> => {
  const { runtime, hotAddress } = deps
  class Taken extends Error {}
  try {
    return await inTransaction(runtime.db, async (tx) => {
      if (!(await isPlannedStill(tx, 'TRON', hotAddress, planned))) return 'overtaken'
      const moment = momentOf(runtime)
      await insertPlanned(
        tx,
        {
          id,
          network: 'TRON',
          purpose: 'payout',
          senders: [hotAddress],
          nonce: null,
          keys: [],
          ...plan,
          feeRate: { ...prices, ...usage },
          signingKeys: [{ account: 'hot', branch: 0, index: 0 }],
        },
        moment,
      )
      if (!(await attach(tx, [withdrawal], id, moment))) throw new Taken()
      return 'planned'
    })
  } catch (error) {
    // Another process has planned it.
    if (error instanceof Taken) return 'not-planned'
    throw new Error(`planning a payout from ${hotAddress} failed`, { cause: error })
  }
}

type HotBalanceDeps = Pick<TronPayoutDeps, 'runtime' | 'catalogue' | 'adapter' | 'hotAddress'>

/** Returns the sun that the hot address can send now, after all pending payments. */
export const spendableSun = async (deps: HotBalanceDeps): Promise<SpendableSun> => {
  const native = deps.catalogue.findCrypto(NATIVE_TICKER.TRON)!
  const { balance, planned } = await readHot(deps, [])
  return {
    sun: rescale(balance.left(NATIVE_TICKER.TRON), native.scale, native.networks.get('TRON')!.decimals),
    planned,
  }
}

/** Amounts that the hot address can pay. */
interface Hot {
  balance: HotBalance
  /** number of transactions planned from it: those at the reading, and this round's since */
  planned: number
}

/**
 * Returns the balance at the final block minus everything pending since: a node shows the balances of no other block
 * (`TronChainAdapter`).
 */
const readHot = async (deps: HotBalanceDeps, ready: readonly Withdrawal[]): Promise<Hot> => {
  const { runtime, catalogue, adapter, hotAddress } = deps
  // Read before all else: a plan of another job from now on changes this count, and then nothing is planned.
  const planned = await readPlanned(runtime.db, 'TRON', hotAddress)
  const assets = [...new Set([NATIVE_TICKER.TRON, ...ready.map((w) => w.ticker)])].map((ticker) =>
    catalogue.findCrypto(ticker)!,
  )
  const leaving = await Promise.all(assets.map(({ ticker }) => underWay(runtime.db, ticker, hotAddress)))
  const fees = nativeLedgerUnits(catalogue, 'TRON', await tronFeesUnderWay(runtime.db, hotAddress))
  const committed = nativeLedgerUnits(catalogue, 'TRON', (await tronCommitted(runtime.db, hotAddress)).sun)
  const toCold = await toColdOf(runtime.db, 'TRON', ['signed', 'broadcast', 'mined'])
  const final = (await finalHeightOf(runtime.db, 'TRON')) ?? 0
  // Read after the database: a payment that becomes final in between is subtracted twice rather than never.
  const { head, units } = await adapter.balancesAtFinal(
    assets.map((asset) => ({ address: hotAddress, contract: asset.networks.get('TRON')!.contract })),
  )
  // Amounts that are final in the books are no longer subtracted: an older block shows them as still there.
  if (head.height < final)
    throw new ChainUnavailable(`the node's final block ${head.height} is older than block ${final} of the books`)
  const left = new Map<string, bigint>()
  for (const [i, asset] of assets.entries()) {
    // Coin that is staked, lent or not yet unfrozen is ours, but can't be sent.
    const sendable = asset.ticker === NATIVE_TICKER.TRON ? (await adapter.stakeOf(hotAddress)).spendable : units[i]!
    const held = rescale(sendable, asset.networks.get('TRON')!.decimals, asset.scale)
    left.set(asset.ticker, held - leaving[i]! - (toCold.get(asset.ticker) ?? 0n))
  }
  left.set(NATIVE_TICKER.TRON, left.get(NATIVE_TICKER.TRON)! - fees - committed)
  return { balance: new HotBalance(left), planned }
}

/**
 * The sum of pending withdrawals that the hot address pays or will pay; those that deposit addresses pay are excluded.
 */
const underWay = async (db: Db, ticker: string, hotAddress: string): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select coalesce(sum(w.units), 0) as units from withdrawals w
    left join outgoing o on o.id = w.outgoing_id
    where w.blockchain = 'TRON' and w.ticker = ${ticker} and w.state in ('planned', 'sent', 'mined')
      and (o.id is null or o.senders[1] = ${hotAddress})`.execute(db)
  return rows[0]!.units
}
