import { isEvmNetwork } from '@bursar/chainkit'
import type { ChainAdapter, FeeRate } from '../../adapters/chains/port.ts'
import type { SignerRefusal } from '../../adapters/signer/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import { raiseAlert, raiseOrRenewAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { spentOnlyBy } from './bitcoin-bump.ts'
import { dropUnsignedBump, recordAccepted, recordBump, recordInvalid, recordRefused, recordSigned } from './commands.ts'
import { isEvmFiller, planEvmBump, planEvmCancel } from './evm-plan.ts'
import { bumpBitcoin, refusedForFee } from './jobs-bitcoin.ts'
import { dropNeedless, handOver } from './jobs-children.ts'
import { keepInPool } from './jobs-keeping.ts'
import { sendTogether } from './jobs-together.ts'
import { hasExpired, renewExpired } from './jobs-tron.ts'
import { later, RETRY_MS, type SendingDeps } from './sending.ts'
import { mayAsk } from './stopping.ts'
import { askToSign, inBroadcast } from './traced.ts'
import { isWaitedFor } from './queries.ts'
import {
  alertOf,
  alertOfReplacement,
  classOf,
  isUnjudged,
  pauseAfter,
  refusalSubject,
  SIGNER_ALERTS,
} from './refusals.ts'
import { attemptsOf, claimDue, stepAgainAt } from './store.ts'
import { freshAmong, type Fresh } from './together.ts'
import type { Attempt, Outgoing, Purpose } from './transaction.ts'

/** Name of the job, for the jobs that plan its transactions. */
export const sendingJob = (network: SendingDeps['network']): string => `send ${network}`

const LEASE_MS = 20_000
const MOST_AT_ONCE = 64

/**
 * Processes our transactions of one network: has them signed, stores and broadcasts them until they are mined, and
 * raises the fee of stuck ones. Each step claims its transaction, and every write checks the claim. Senders are
 * processed in parallel, the transactions of one sender in order, so that a node gets a transaction before those that
 * depend on it.
 */
export const createSendingJob = (deps: SendingDeps): Job => ({
  name: sendingJob(deps.network),
  everyMs: 200,
  idleMs: IDLE_MS,
  run: async () => {
    const at = new Date(deps.runtime.clock.business())
    const due = await claimDue(deps.runtime.db, deps.network, at, LEASE_MS, MOST_AT_ONCE)
    await Promise.all(linesOf(deps.network, due).map((line) => carryOn(deps, line)))
    return due.length === MOST_AT_ONCE
  },
})

/**
 * Groups transactions by sender. On Bitcoin all are one group, because a transaction has several senders and may spend
 * outputs of another one.
 */
const linesOf = (network: SendingDeps['network'], due: readonly Outgoing[]): Outgoing[][] =>
  network === 'BITCOIN' ? [[...due]] : [...Map.groupBy(due, ({ senders }) => senders[0]).values()]

const carryOn = async (deps: SendingDeps, line: readonly Outgoing[]): Promise<void> => {
  for (const run of await runsOf(deps, line)) {
    const sent = await together(deps, run)
    for (const { id } of run) {
      if (sent.has(id)) continue
      const outgoing = line.find((one) => one.id === id)!
      try {
        await step(deps, outgoing)
      } catch (error) {
        deps.runtime.log.warn({ err: error, outgoing: id }, 'a step failed and is tried again')
        await stepAgainAt(deps.runtime.db, outgoing, later(deps, RETRY_MS))
      }
    }
  }
}

type Run = readonly { id: string; fresh: Fresh | undefined }[]

/**
 * Joins consecutive transactions for which nothing has been signed into one run; every other transaction is a run of
 * its own. The order does not change.
 */
const runsOf = async ({ runtime, network }: SendingDeps, line: readonly Outgoing[]): Promise<Run[]> => {
  const fresh = network === 'BITCOIN' || line.length < 2 ? new Map<string, Fresh>() : await freshAmong(runtime.db, line)
  const runs: { id: string; fresh: Fresh | undefined }[][] = []
  for (const { id } of line) {
    const one = { id, fresh: fresh.get(id) }
    const last = runs.at(-1)
    if (one.fresh && last?.[0]!.fresh) last.push(one)
    else runs.push([one])
  }
  return runs
}

/**
 * Sends a run together. When that fails, the caller processes its transactions one by one, so that one failure does not
 * delay the others.
 * @returns ids of those that the node accepted
 */
const together = async (deps: SendingDeps, run: Run): Promise<ReadonlySet<string>> => {
  if (run.length < 2) return new Set()
  try {
    return await sendTogether(
      deps,
      run.map(({ fresh }) => fresh!),
    )
  } catch (error) {
    deps.runtime.log.warn(
      { err: error, network: deps.network, transactions: run.length },
      'a failed batch is tried one by one',
    )
    return new Set()
  }
}

const step = async (deps: SendingDeps, outgoing: Outgoing): Promise<void> => {
  const attempts = await attemptsOf(deps.runtime.db, outgoing.id)
  const current = attempts.find((attempt) => attempt.attempt === outgoing.attempt)
  if (!current) throw new Error(`outgoing ${outgoing.id} has no attempt ${outgoing.attempt}`)
  if (current.raw === null) return sign(deps, outgoing, current, attempts)
  if (hasExpired(deps, current)) return renewExpired(deps, outgoing, current)
  if (isStuck(deps, outgoing, current) && !(await waitsInLine(deps, outgoing))) return bump(deps, outgoing, current)
  return broadcast(deps, outgoing, current)
}

const sign = async (
  deps: SendingDeps,
  outgoing: Outgoing,
  attempt: Attempt,
  attempts: readonly Attempt[],
): Promise<void> => {
  const { db } = deps.runtime
  const isAsked = await inTransaction(db, async (tx) => {
    if (await mayAsk(tx, outgoing, attempt, deps.carriesStopped, momentOf(deps.runtime).at)) return true
    await recordRefused(tx, outgoing, deps.subscribers, momentOf(deps.runtime), { withheld: true })
    return false
  })
  if (!isAsked) return
  await deps.pause('before-sign')
  const answer = await askToSign(deps, outgoing, {
    network: outgoing.network,
    transactionId: outgoing.id,
    unsigned: attempt.unsigned,
    keys: attempt.keys,
    ...(isCancel(outgoing, attempt) ? { purpose: 'filler', intents: [] } : await deps.purposeOf(outgoing)),
  })
  await deps.pause('signed-not-stored')
  if ('refused' in answer) return refused(deps, outgoing, answer, attempts)
  const signed = { raw: answer.signed, hash: answer.hash }
  const isStored = await inTransaction(db, (tx) =>
    recordSigned(tx, outgoing, attempt.attempt, signed, momentOf(deps.runtime)),
  )
  await resolveAlertsOf(
    db,
    SIGNER_ALERTS,
    [attempt.attempt > 1 ? outgoing.id : refusalSubject(outgoing.network, outgoing.purpose)],
    momentOf(deps.runtime).at,
  )
  await deps.pause('stored-not-broadcast')
  if (isStored) await broadcast(deps, outgoing, { ...attempt, ...signed })
}

const refused = async (
  deps: SendingDeps,
  outgoing: Outgoing,
  refusal: SignerRefusal,
  attempts: readonly Attempt[],
): Promise<void> => {
  const { runtime } = deps
  const [of, pause] = [classOf(refusal), pauseAfter(refusal)]
  if (refusal.refused === 'busy') return stepAgainAt(runtime.db, outgoing, later(deps, pause))
  // For a payout, the withdrawals module raises a more specific alert.
  if (of === 'now' || outgoing.attempt > 1 || outgoing.purpose !== 'payout') {
    const alert =
      outgoing.attempt > 1
        ? alertOfReplacement(refusal, outgoing)
        : alertOf(refusal, outgoing.network, outgoing.purpose)
    await raiseOrRenewAlert(runtime.db, alert, momentOf(runtime))
  }
  if (isUnjudged(refusal)) return stepAgainAt(runtime.db, outgoing, later(deps, pause))
  if (outgoing.attempt > 1) {
    const [bump, others] = [
      attempts.find((one) => one.attempt === outgoing.attempt)!,
      attempts.filter((one) => one.attempt !== outgoing.attempt),
    ]
    const added = outgoing.network === 'BITCOIN' ? spentOnlyBy(bump, others) : []
    return inTransaction(runtime.db, (tx) =>
      dropUnsignedBump(tx, outgoing, later(deps, deps.policy.bumpAfterMs), added),
    )
  }
  if (of === 'now' && (await mayWait(deps, outgoing))) return stepAgainAt(runtime.db, outgoing, later(deps, pause))
  await inTransaction(runtime.db, (tx) => recordRefused(tx, outgoing, deps.subscribers, momentOf(runtime), { refusal }))
}

/**
 * Whether a refused transaction may stay planned. A payment may not: it is given back, so that others can use its nonce
 * or coins. Other transactions may, unless payments wait behind their nonce; on Bitcoin they may not, because payments
 * may need their coins.
 */
const mayWait = async ({ runtime, network }: SendingDeps, outgoing: Outgoing): Promise<boolean> => {
  if (outgoing.purpose === 'payout' || network === 'BITCOIN') return false
  return outgoing.purpose === 'filler' || outgoing.nonce === null || !(await isWaitedFor(runtime.db, outgoing))
}

const broadcast = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime, policy } = deps
  if (await dropNeedless(deps, outgoing, attempt)) return
  const result = await inBroadcast(deps, outgoing, () => handOver(deps, outgoing, attempt))
  await deps.pause('broadcast-not-recorded')
  if (result.kind === 'accepted') {
    await inTransaction(runtime.db, (tx) =>
      recordAccepted(
        tx,
        outgoing,
        attempt.hash!,
        later(deps, policy.rebroadcastEveryMs),
        deps.subscribers,
        momentOf(runtime),
      ),
    )
    return resolveAlert(runtime.db, 'broadcast', outgoing.id, momentOf(runtime).at)
  }
  if (result.kind === 'refused' && result.reason === 'fee-too-low') {
    if (deps.network === 'BITCOIN') return refusedForFee(deps, outgoing, attempt, result.message)
    return (await waitsInLine(deps, outgoing))
      ? stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
      : bump(deps, outgoing, attempt)
  }
  // Expired by the node's clock; once it has expired by ours too, `renewExpired` plans it again.
  if (result.kind === 'refused' && result.reason === 'expired')
    return stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
  const isLater = result.kind === 'refused' && result.reason === 'later'
  if (isLater && !isOverdue(deps, attempt))
    return stepAgainAt(runtime.db, outgoing, later(deps, policy.rebroadcastEveryMs))
  if (result.kind === 'refused' && result.reason === 'invalid')
    await recordInvalid(runtime.db, outgoing, later(deps, 0))
  // A conflict usually means that an earlier attempt was mined; the watcher will record it when it reads the block.
  const text = `${outgoing.network} rejects transaction ${attempt.hash}: ${result.message}`
  if (result.kind === 'refused' || outgoing.attempt === 1) {
    await raiseAlert(runtime.db, { kind: 'broadcast', subject: outgoing.id, text }, momentOf(runtime))
  }
  return stepAgainAt(runtime.db, outgoing, later(deps, isLater ? policy.rebroadcastEveryMs : RETRY_MS))
}

/**
 * Whether a transaction is broadcast and overdue. On account chains the caller bumps only a sender's first unmined one
 * (see `waitsInLine`), because a later nonce can't be mined before it.
 */
const isStuck = ({ policy, runtime }: SendingDeps, outgoing: Outgoing, attempt: Attempt): boolean =>
  outgoing.state === 'broadcast' && isOverdue({ policy, runtime }, attempt)

const isOverdue = ({ policy, runtime }: Pick<SendingDeps, 'policy' | 'runtime'>, { createdAt }: Attempt): boolean =>
  runtime.clock.business() - createdAt.getTime() >= policy.bumpAfterMs

const bump = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime, policy } = deps
  if (deps.network === 'BITCOIN') return bumpBitcoin(deps, outgoing, attempt)
  const rate = await deps.adapter.feeRate()
  const replacement = planReplacement(outgoing, attempt, rate)
  const cap = mostFee(policy, outgoing)
  if ('refused' in replacement || replacement.networkFee > cap) {
    if (await cancel(deps, outgoing, attempt, rate)) return
    const why = 'refused' in replacement ? replacement.refused : `the fee would be above the cap of ${cap}`
    const text = `Transaction ${attempt.hash} on ${outgoing.network} is stuck, and its fee can't be raised: ${why}`
    await raiseAlert(runtime.db, { kind: 'stuck', subject: outgoing.id, text }, momentOf(runtime))
    return keepInPool(deps, outgoing, attempt)
  }
  await inTransaction(runtime.db, (tx) =>
    recordBump(tx, outgoing, { ...replacement, signingKeys: attempt.keys, feeRate: rate }, momentOf(runtime)),
  )
  await deps.pause('bump-planned')
}

/** Transfers between our own accounts: if one is given up, it is planned again later. */
const MAY_WAIT: ReadonlySet<Purpose> = new Set(['sweep', 'gas', 'rebalance'])

/**
 * Replaces a transaction between our own accounts by one that does nothing, when it can't pay enough to be mined and
 * payments wait behind its nonce. Either of the two may be mined; the watcher reads the moved amounts from its block.
 * Returns true when the replacement was recorded.
 */
const cancel = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt, rate: FeeRate): Promise<boolean> => {
  const { runtime, policy } = deps
  const [sender, [key]] = [outgoing.senders[0]!, attempt.keys]
  if (!MAY_WAIT.has(outgoing.purpose) || rate.kind !== 'gas' || key?.account !== 'hot' || isCancel(outgoing, attempt))
    return false
  if (!(await isWaitedFor(runtime.db, outgoing))) return false
  const plan = planEvmCancel(attempt.unsigned, sender, rate)
  if (plan.networkFee > policy.maxFee) return false
  runtime.log.warn(
    { outgoing: outgoing.id, purpose: outgoing.purpose, hash: attempt.hash },
    'given up because payments wait for its nonce',
  )
  await inTransaction(runtime.db, (tx) =>
    recordBump(tx, outgoing, { ...plan, signingKeys: [key], feeRate: rate }, momentOf(runtime)),
  )
  await resolveAlert(runtime.db, 'stuck', outgoing.id, momentOf(runtime).at)
  await deps.pause('bump-planned')
  return true
}

const isCancel = ({ purpose, senders }: Outgoing, { unsigned }: Attempt): boolean =>
  MAY_WAIT.has(purpose) && isEvmFiller(unsigned, senders[0]!)

const mostFee = ({ maxFee, maxBatchFee }: SendingDeps['policy'], { purpose, network }: Outgoing): bigint =>
  purpose === 'sweep' && isEvmNetwork(network) ? maxBatchFee : maxFee

const waitsInLine = async ({ adapter, network }: SendingDeps, outgoing: Outgoing): Promise<boolean> => {
  if (!isEvmNetwork(network) || outgoing.nonce === null || !('minedNonce' in adapter)) return false
  const mined = await (adapter as ChainAdapter & { minedNonce(address: string): Promise<number> }).minedNonce(
    outgoing.senders[0]!,
  )
  return outgoing.nonce !== mined
}

/** A sweep from a deposit address may pay its higher fee out of its amount; a payment to a receiver may not. */
const planReplacement = (
  { purpose }: Outgoing,
  attempt: Attempt,
  rate: FeeRate,
): { unsigned: string; networkFee: bigint } | { refused: string } =>
  rate.kind === 'gas'
    ? planEvmBump(attempt.unsigned, rate, purpose !== 'payout' && attempt.keys[0]!.account === 'deposit')
    : { refused: 'nothing on this network takes the place of another transaction' }
