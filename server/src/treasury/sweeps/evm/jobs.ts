import { sweepContracts } from '@bursar/chainkit/evm'
import { forEachIsolated, type Job } from '../../../platform/jobs/index.ts'
import { currentState, isNonceSound, loadOf, skipUsed } from '../../../chain/transactions/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { freshPrices } from '../../../market/rates/index.ts'
import { chooseAll, type EvmChoice } from './choice.ts'
import { seedOf, type EvmRound, type EvmSweepDeps } from './sweeping.ts'
import { alertFailing } from '../failing.ts'
import { expectedPrice, type GasRate } from './gas-price.ts'
import { planBatches } from './jobs-batches.ts'
import { areReady } from './jobs-contracts.ts'
import { planDirect } from './jobs-direct.ts'
import { measureGas, readCandidates, takesSetCode, valued, type Candidate } from './jobs-reading.ts'
import { planRelays } from './jobs-relay.ts'
import { planTopUp, sendFunded } from './jobs-topup.ts'
import { leastWorth } from '../policy.ts'
import { isAnythingHeld } from '../queries.ts'
import { fundedOn, holdersOn, type Worthwhile } from '../store.ts'
import { unitsWorth } from '../coin-worth.ts'

/** Most holders of one run; the longest waiting come first. */
const MOST_HOLDERS = 400
/** Most pages of holders that one run reads at a stolen seed. */
const MOST_PAGES = 25
/** Gas of the cheapest sweep: holdings worth less than its cost are not read. */
const LEAST_GAS = 8_000n
/** Thousandths of the cost: money that a thief can take is moved when it is worth the cost at all. */
const WORTH_IT = 1_000n
/** More ledger units than anyone has. */
const NEVER = 10n ** 60n

/**
 * Creates the job that sweeps final balances of deposit addresses on one EVM network to the hot wallet, in the cheapest
 * way, when they are worth it.
 */
export const createEvmSweepJob = (deps: EvmSweepDeps, everyMs: number): Job => ({
  name: deps.firstSeed === undefined ? `sweeps ${deps.network}` : `sweeps of the first seed ${deps.network}`,
  everyMs,
  run: async () => {
    const { policy, runtime, network } = deps
    if (!policy.enabled) return false
    // No request is sent while nothing waits.
    const isFunded = (await fundedOn(runtime.db, network, 1, seedOf(deps))).length > 0
    if (!isFunded && !(await isAnythingHeld(runtime.db, network, seedOf(deps)))) return false
    const permitted = await deps.allowed()
    return (
      permitted.all.size > 0 && sweepOnce({ ...deps, contracts: sweepContracts(deps.hotAddress), permitted }, isFunded)
    )
  },
})

const sweepOnce = async (round: EvmRound, isFunded: boolean): Promise<boolean> => {
  const { network, adapter, runtime, hotAddress } = round
  // A thief may have sent from the address: its nonces are used, and the rest of the money is still moved.
  if (round.firstSeed === 'stolen')
    await skipUsed(runtime.db, network, hotAddress, await (await currentState(round)).minedNonce(hotAddress))
  if (!(await isNonceSound(round))) return false
  const rate = await adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error(`${network} estimates fees for each unit of gas`)
  const sent = isFunded && (await sendFunded(round, rate))
  return (await planFresh(round, rate)) || sent
}

const planFresh = async (round: EvmRound, rate: GasRate): Promise<boolean> => {
  const { runtime, network } = round
  const usd = await freshPrices(
    runtime.db,
    round.catalogue.crypto.map(({ ticker }) => ticker),
    new Date(runtime.clock.now()),
  )
  const candidates = await findCandidates(round, usd, rate)
  if (candidates.length === 0) return false
  for (const { account, holdings } of candidates) {
    for (const holding of holdings) await alertFailing(runtime.db, network, account.holder, holding, momentOf(runtime))
  }
  const measured = { ...round, ...(await measureGas(round)) }
  return carryOut(measured, await choose(measured, candidates, rate), rate)
}

/**
 * Reads the most valuable holders. At a stolen seed it reads on until enough of them hold money: a thief who has emptied
 * the dearest addresses does not stop the sweeps of the others.
 */
const findCandidates = async (
  round: EvmRound,
  usd: ReadonlyMap<string, bigint>,
  rate: GasRate,
): Promise<Candidate[]> => {
  const { runtime, network, policy } = round
  const enough = policy.batch * 2
  const rules = { ...worthwhile(round, usd, rate), seed: seedOf(round) }
  const candidates: Candidate[] = []
  const seen = new Set<string>()
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const holders = await holdersOn(runtime.db, network, MOST_HOLDERS, rules, page * MOST_HOLDERS)
    const fresh = holders.filter(({ address }) => !seen.has(address))
    for (const { address } of fresh) seen.add(address)
    for (let at = 0; at < fresh.length && candidates.length < enough; at += enough) {
      const looked = fresh.slice(at, at + enough).map((holder) => ({ holder, holdings: valued(round, holder, usd) }))
      const sound = looked.filter(({ holdings }) => holdings.length > 0)
      candidates.push(...(await readCandidates(round, sound)))
      if (round.firstSeed !== 'stolen') return candidates
    }
    if (holders.length === 0 || candidates.length >= enough) break
  }
  return candidates.slice(0, enough)
}

/** Returns the least amounts that can be worth sweeping now, so that dust does not delay other holdings. */
const worthwhile = (
  { catalogue, network, policy, runtime, permitted }: EvmRound,
  usd: ReadonlyMap<string, bigint>,
  rate: GasRate,
): Worthwhile => {
  const price = expectedPrice(rate)
  const isClosed = policy.maxGasPrice !== undefined && price > policy.maxGasPrice
  const now = runtime.clock.business()
  const least = [...permitted.all].flatMap((ticker) => {
    const young = unitsWorth(catalogue, network, ticker, (LEAST_GAS * price * policy.kPerMille) / 1000n, usd)
    const overdue = unitsWorth(catalogue, network, ticker, LEAST_GAS * price, usd)
    return young === undefined || overdue === undefined
      ? []
      : [[ticker, { young: isClosed ? NEVER : young, overdue }] as const]
  })
  return { now: new Date(now), overdue: new Date(now - policy.maxAgeMs), least: new Map(least) }
}

const choose = async (round: EvmRound, candidates: readonly Candidate[], rate: GasRate): Promise<EvmChoice[]> => {
  const { policy, contracts, runtime, permitted } = round
  // A thief gives an address any code, so an address of a stolen seed pays by itself.
  const isStolen = round.firstSeed === 'stolen'
  const setCode = !isStolen && (await takesSetCode(round))
  const now = runtime.clock.business()
  const all = candidates.map(({ account, holdings }) => {
    const oldest = holdings.map(({ since }) => since).toSorted((a, b) => a.getTime() - b.getTime())[0]!
    // Judged by the limit for the oldest: when an address is emptied anyway, every asset worth its own part goes along.
    return { account, holdings, kPerMille: isStolen ? WORTH_IT : leastWorth(policy, oldest, now) }
  })
  return chooseAll(all, {
    gasPrice: expectedPrice(rate),
    batchSize: policy.batch,
    setCode,
    delegate: contracts.delegate.address,
    signed: isStolen ? new Set<string>() : permitted.signed,
    authorization: round.authorization,
    newAccount: round.newAccount,
  })
}

/** Plans batches first. Half of the unconfirmed transactions that the hot wallet may have is left to payouts. */
const carryOut = async (round: EvmRound, choices: readonly EvmChoice[], rate: GasRate): Promise<boolean> => {
  const { runtime, network, contracts, hotAddress, sending } = round
  const slots = async (): Promise<boolean> =>
    (await loadOf(runtime.db, network, hotAddress)).transactions < Math.ceil(sending.mostInFlight / 2)
  const by = (way: EvmChoice['way']): EvmChoice[] => choices.filter((choice) => choice.way === way)
  const delegated = by('delegate')
  let planned = false
  const steps: (() => Promise<boolean>)[] = [
    async () =>
      delegated.length > 0 &&
      (await slots()) &&
      (await areReady(round, [contracts.delegate, contracts.batch], rate)) &&
      planBatches(round, delegated, rate),
    async () => (await slots()) && planRelays(round, by('authorize'), rate),
    ...by('direct').map((choice) => () => planDirect(round, choice, rate)),
    ...by('top-up').map((choice) => async () => (await slots()) && planTopUp(round, choice, rate)),
  ]
  await forEachIsolated(steps, async (step) => {
    planned = (await step()) || planned
  })
  return planned
}
