import { NATIVE_TICKER } from '@bursar/chainkit'
import { type AccountState, ChainUnavailable, type GasEstimate } from '../../adapters/chains/port.ts'
import {
  currentState,
  type EvmCall,
  gapsOf,
  type HotKey,
  insertPlanned,
  lockPlanned,
  nativeLedgerUnits,
  paymentCall,
  planEvm,
  takeExpected,
  takeFreed,
} from '../../chain/transactions/index.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { allIsolated, forEachIsolated } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { attach } from './commands.ts'
import {
  alertShort,
  choosePayer,
  freeSlots,
  lackingOf,
  type Member,
  noLongerShort,
  nothingToPay,
  type Part,
  readMembers,
} from './hot-wallet.ts'
import { type EvmPayoutDeps, type GasRate, gasRateOf, hotRow, MOST_GAS, PLAIN_GAS } from './payouts.ts'
import { mayPayCode, noLongerReverting, onRevert } from './receivers.ts'
import { holdRepeats } from './lost-repeats.ts'
import { nextWaiting } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

interface Choice {
  withdrawal: Withdrawal
  member: Member
  call: EvmCall
  /** wei reserved for the transaction's fee */
  reserved: bigint
}

interface Planned extends Choice {
  gas: bigint
}

/**
 * Withdrawals in one page. More pages are read while hot addresses have free slots. The first page has as many as there
 * are slots: each withdrawal of a page is audited, and the signer judges it, even if no slot is left for it.
 */
const [LEAST_PAGE, PAGE] = [25, 100]
/**
 * Gas assumed for a payment before it is estimated: a payment of native coin, and a token transfer to a receiver
 * without a balance, each with a margin.
 */
const COIN_GAS = 26_250n
const TOKEN_GAS = 125_000n

/**
 * Plans a transaction for each waiting withdrawal that a hot address can pay, oldest first. A withdrawal that no
 * address can pay is skipped. Returns true when at least one transaction was planned.
 */
export const planEvmPayouts = async (deps: EvmPayoutDeps): Promise<boolean> => {
  const free = await freeSlots(deps)
  if (free.length === 0) return false
  const slots = free.reduce((sum, one) => sum + one.slots, 0)
  const first = await readPage(deps, Math.min(PAGE, Math.max(LEAST_PAGE, slots)))
  if (first.ready.length === 0 && first.last === undefined) {
    await nothingToPay(deps, deps.network)
    return false
  }
  const [members, rate] = await Promise.all([readMembers(deps, free), gasRateOf(deps)])
  const choices = await chooseAll(deps, members, rate, first)
  const state = await currentState(deps)
  const receivers = new Set<string>()
  const planned = await allIsolated(choices, (choice) => estimated(deps, state, choice, rate, receivers))
  const payable = planned.results.filter((one) => one !== undefined)
  await noLongerReverting(
    deps,
    deps.network,
    payable.map(({ withdrawal }) => withdrawal.ticker),
  )
  const made = await allIsolated(members, (member) =>
    storeAll(
      deps,
      payable.filter((one) => one.member === member),
      rate,
    ),
  )
  planned.fail()
  made.fail()
  return made.results.includes(true)
}

interface Page {
  ready: Withdrawal[]
  /** the last withdrawal read, when there may be more after it */
  last: Withdrawal | undefined
}

const readPage = async (deps: EvmPayoutDeps, most: number, after?: Withdrawal): Promise<Page> => {
  const { runtime, network, approved } = deps
  const waiting = await nextWaiting(runtime.db, network, 'onChain', momentOf(runtime).at, most, after)
  return {
    ready: await approved(await holdRepeats(deps, waiting)),
    last: waiting.length === most ? waiting.at(-1) : undefined,
  }
}

const chooseAll = async (
  deps: EvmPayoutDeps,
  members: readonly Member[],
  rate: GasRate,
  first: Page,
): Promise<Choice[]> => {
  const { network } = deps
  const choices: Choice[] = []
  const unpaid: { withdrawal: Withdrawal; lacking: string | undefined }[] = []
  let page = first
  for (;;) {
    const direct = await deps.fromDeposits?.(page.ready, 'cheaper')
    for (const withdrawal of page.ready) {
      if (!members.some(({ slots }) => slots > 0)) break
      if (direct?.has(withdrawal.id)) continue
      const choice = choose(deps, members, withdrawal, rate)
      if (typeof choice === 'object') choices.push(choice)
      else unpaid.push({ withdrawal, lacking: choice })
    }
    if (page.last === undefined || !members.some(({ slots }) => slots > 0)) break
    page = await readPage(deps, PAGE, page.last)
  }
  const direct = await deps.fromDeposits?.(
    unpaid.map(({ withdrawal }) => withdrawal),
    'short',
  )
  const short = new Set(
    unpaid.flatMap(({ withdrawal, lacking }) => (lacking === undefined || direct?.has(withdrawal.id) ? [] : [lacking])),
  )
  for (const ticker of short) await alertShort(deps, network, ticker)
  // A token payment also needs native coin, for its fee.
  const paid = new Set(choices.flatMap(({ withdrawal }) => [withdrawal.ticker, NATIVE_TICKER[network]]))
  if (paid.size > 0)
    await noLongerShort(
      deps,
      network,
      [...paid].filter((ticker) => !short.has(ticker)),
    )
  return choices
}

/** @returns the ticker that is lacking; undefined when there is enough in total, but not at one address */
const choose = (
  deps: EvmPayoutDeps,
  members: readonly Member[],
  withdrawal: Withdrawal,
  rate: GasRate,
): Choice | string | undefined => {
  const { catalogue, network } = deps
  const native = NATIVE_TICKER[network]
  const reserved = (withdrawal.ticker === native ? COIN_GAS : TOKEN_GAS) * rate.maxFeePerGas
  const parts: Part[] = [withdrawal, { ticker: native, units: nativeLedgerUnits(catalogue, network, reserved) }]
  const member = choosePayer(members, parts)
  if (!member) return lackingOf(members, parts)
  member.hotBalance.pay(parts)
  member.slots -= 1
  return { withdrawal, member, call: callOf(deps, withdrawal), reserved }
}

const bounded = (estimate: GasEstimate): GasEstimate =>
  estimate.ok && estimate.gas > MOST_GAS
    ? { ok: false, reason: 'reverted', message: `it takes ${estimate.gas} gas, and at most ${MOST_GAS} is paid for` }
    : estimate

/**
 * When a node gives no estimate, the payment counts as reverted. The same payment from the sender to itself then shows
 * whether the node or the receiver is the cause. The error texts vary too much to match: geth passes on the text of
 * each EVM fault and of each precompiled contract.
 */
const asReverted = (error: unknown): GasEstimate => {
  if (!(error instanceof ChainUnavailable)) throw error
  return { ok: false, reason: 'reverted', message: error.message }
}

/**
 * The choice with its estimated gas; undefined when the withdrawal can't be paid now.
 * @param receivers with code, of this run's payments: all choices are estimated before the first is stored
 */
const estimated = async (
  deps: EvmPayoutDeps,
  state: AccountState,
  choice: Choice,
  rate: GasRate,
  receivers: Set<string>,
): Promise<Planned | undefined> => {
  const { network, chainId, catalogue } = deps
  const { withdrawal, member, call, reserved } = choice
  const native = NATIVE_TICKER[network]
  const gasOf = async (asked: EvmCall) => bounded(await state.estimateGas({ from: member.key.address, ...asked }))
  const estimate = await gasOf(call).catch(asReverted)
  if (!estimate.ok) {
    const toItself = () => gasOf(callOf(deps, { ...withdrawal, to: member.key.address }))
    await (estimate.reason === 'reverted'
      ? onRevert(deps, withdrawal, estimate.message, toItself)
      : alertShort(deps, network, native))
    return undefined
  }
  if (withdrawal.ticker === native && estimate.gas > PLAIN_GAS && !(await mayPayCode(deps, withdrawal, receivers)))
    return undefined
  const { networkFee } = planEvm({ network, chainId, nonce: 0, call, gas: estimate.gas, rate })
  const more = networkFee > reserved ? nativeLedgerUnits(catalogue, network, networkFee - reserved) : 0n
  if (member.hotBalance.pay([{ ticker: native, units: more }]) === undefined) return { ...choice, gas: estimate.gas }
  await alertShort(deps, network, native)
  return undefined
}

const callOf = ({ catalogue, network }: EvmPayoutDeps, { ticker, to, units }: Withdrawal): EvmCall => {
  const asset = catalogue.findCrypto(ticker)!
  const on = asset.networks.get(network)!
  return paymentCall({ to, units: rescale(units, asset.scale, on.decimals), contract: on.contract })
}

/** Stores the payments of one hot address, in the order of its nonces. Returns true when at least one was stored. */
const storeAll = async (deps: EvmPayoutDeps, planned: readonly Planned[], rate: GasRate): Promise<boolean> => {
  if (planned.length > 1 && (await storeTogether(deps, planned, rate))) return true
  let [made, isOthers] = [false, false]
  await forEachIsolated(planned, async (one) => {
    if (isOthers) return
    await deps.pause('payout-chosen')
    const outcome = await storePlanned(deps, one, rate)
    // Another worker spends the same balance: stop here, and read the balance again on the next run.
    isOthers = outcome === 'nonce-taken'
    made = made || outcome === 'stored'
  })
  return made
}

class Taken extends Error {
  readonly what: 'nonce-taken' | 'withdrawal-taken'

  constructor(what: Taken['what']) {
    super(what)
    this.what = what
  }
}

/**
 * Stores all payments in one transaction. Returns false, with nothing stored, when that fails; the caller then stores
 * them one by one.
 */
const storeTogether = async (deps: EvmPayoutDeps, planned: readonly Planned[], rate: GasRate): Promise<boolean> => {
  const { runtime, network } = deps
  const { member } = planned[0]!
  await deps.pause('payout-chosen')
  try {
    await inTransaction(runtime.db, async (tx) => {
      for (const [at, one] of planned.entries()) await storeIn(tx, deps, one, at, rate)
    })
  } catch (err) {
    if (!(err instanceof Taken))
      runtime.log.warn(
        { err, network, payouts: planned.length },
        'payouts that could not be planned together are planned one by one',
      )
    return false
  }
  member.planned += planned.length
  return true
}

const storeIn = async (
  tx: Tx,
  { runtime, network, chainId }: EvmPayoutDeps,
  { withdrawal, member, call, gas }: Planned,
  at: number,
  rate: GasRate,
): Promise<void> => {
  const moment = momentOf(runtime)
  const nonce = await takeExpected(tx, network, member.key.address, member.planned + at, moment.at)
  if (nonce === undefined) throw new Taken('nonce-taken')
  const plan = planEvm({ network, chainId, nonce, call, gas, rate })
  const id = runtime.newId()
  await insertPlanned(
    tx,
    { ...hotRow(network, member.key, nonce), id, purpose: 'payout', ...plan, feeRate: rate },
    moment,
  )
  if (!(await attach(tx, [withdrawal], id, moment))) throw new Taken('withdrawal-taken')
}

const storePlanned = async (deps: EvmPayoutDeps, one: Planned, rate: GasRate): Promise<'stored' | Taken['what']> => {
  const { member } = one
  try {
    await inTransaction(deps.runtime.db, (tx) => storeIn(tx, deps, one, 0, rate))
    member.planned += 1
    return 'stored'
  } catch (error) {
    // The rollback also returns the nonce that was taken.
    if (error instanceof Taken) return error.what
    throw new Error(`planning a payout from ${member.key.address} failed`, { cause: error })
  }
}

const FILLER_GAS = 21_000n

/** Plans fillers for nonces that were freed and not reused, when signed transactions wait behind them. */
export const fillGaps = async (deps: EvmPayoutDeps): Promise<void> => {
  const { runtime, network } = deps
  const gaps = await gapsOf(runtime.db, network, momentOf(runtime).at)
  await forEachIsolated(gaps, ({ address, index, nonce }) => planFiller(deps, { address, index }, nonce))
}

/** A filler is a transaction of value 0 from a hot address to itself; it only uses up the nonce. */
const planFiller = async (deps: EvmPayoutDeps, key: HotKey, nonce: number): Promise<void> => {
  const { runtime, network, chainId } = deps
  const rate = await gasRateOf(deps)
  const call = paymentCall({ to: key.address, units: 0n, contract: null })
  const plan = planEvm({ network, chainId, nonce, call, gas: FILLER_GAS, rate })
  await inTransaction(runtime.db, async (tx) => {
    // Before the nonce, as all code that takes one locks them.
    await lockPlanned(tx, network, key.address)
    if (!(await takeFreed(tx, network, key.address, nonce))) return
    await insertPlanned(
      tx,
      { ...hotRow(network, key, nonce), id: runtime.newId(), purpose: 'filler', ...plan, feeRate: rate },
      momentOf(runtime),
    )
  })
}
