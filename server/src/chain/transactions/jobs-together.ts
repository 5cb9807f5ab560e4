import type { SignAnswer } from '../../adapters/signer/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { resolveAlerts, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { refusalSubject, SIGNER_ALERTS } from './refusals.ts'
import { later, type SendingDeps } from './sending.ts'
import { askToSign, inBroadcast } from './traced.ts'
import { mayAskAll, recordAcceptedAll, recordSignedAll, type Fresh, type Signed } from './together.ts'

/** Requests to the signer at once: its queue holds 64, from all networks. */
const ASKED_AT_ONCE = 8

/**
 * Has unsigned transactions of one sender signed, stores them and broadcasts them in order. Each has an intent and a
 * signature of its own, but permission and storage are recorded for a group in one database transaction, and acceptance
 * for all. A group is stored and broadcast while the signer works on the next. Transactions that are stopped, refused
 * or not accepted by the node are left unchanged; the caller processes all that are not in the result one by one.
 * @returns ids of those that a node accepted
 */
export const sendTogether = async (deps: SendingDeps, fresh: readonly Fresh[]): Promise<ReadonlySet<string>> => {
  const { runtime, network } = deps
  const purposes = new Set<string>()
  const accepted: Signed[] = []
  let isRejected = false
  for await (const signed of signedInGroups(deps, fresh)) {
    for (const { outgoing } of signed) purposes.add(refusalSubject(network, outgoing.purpose))
    const stored = await store(deps, signed)
    // Later nonces have to wait for one that the node does not accept.
    if (isRejected) continue
    const taken = await handOver(deps, stored)
    isRejected = taken.length < stored.length
    accepted.push(...taken)
  }
  await deps.pause('broadcast-not-recorded')
  const next = later(deps, deps.policy.rebroadcastEveryMs)
  await inTransaction(runtime.db, (tx) => recordAcceptedAll(tx, accepted, next, deps.subscribers, momentOf(runtime)))
  const ids = accepted.map(({ outgoing }) => outgoing.id)
  await resolveAlertsOf(runtime.db, SIGNER_ALERTS, [...purposes], momentOf(runtime).at)
  await resolveAlerts(runtime.db, 'broadcast', ids, momentOf(runtime).at)
  return new Set(ids)
}

/** Yields signed transactions, in order. The signer gets the next group while the caller works on this one. */
const signedInGroups = async function* (deps: SendingDeps, fresh: readonly Fresh[]): AsyncGenerator<Signed[]> {
  const groupAt = (from: number): Promise<PromiseSettledResult<Signed[]>> =>
    settled(signGroup(deps, fresh.slice(from, from + ASKED_AT_ONCE)))
  let next = groupAt(0)
  try {
    for (let from = 0; from < fresh.length; from += ASKED_AT_ONCE) {
      const group = await next
      if (group.status === 'rejected') throw group.reason
      next = groupAt(from + ASKED_AT_ONCE)
      yield group.value
    }
  } finally {
    // Also when the caller fails: nothing is signed any more when it goes on.
    await next
  }
}

/** The outcome of work whose failure is handled only when it is its turn. */
const settled = async <T>(work: Promise<T>): Promise<PromiseSettledResult<T>> => (await Promise.allSettled([work]))[0]!

/**
 * Has the transactions of a group signed that no stop forbids. Permission is recorded right before the request, because
 * a stop holds for everything for which it is not recorded.
 */
const signGroup = async (deps: SendingDeps, group: readonly Fresh[]): Promise<Signed[]> => {
  if (group.length === 0) return []
  const { runtime, network, carriesStopped } = deps
  const asked = await inTransaction(runtime.db, (tx) =>
    mayAskAll(tx, network, group, carriesStopped, momentOf(runtime).at),
  )
  await deps.pause('before-sign')
  return signAll(
    deps,
    group.filter(({ outgoing }) => asked.has(outgoing.id)),
  )
}

const signAll = async (deps: SendingDeps, fresh: readonly Fresh[]): Promise<Signed[]> => {
  const answers = await Promise.allSettled(fresh.map((one) => ask(deps, one)))
  return answers.flatMap((answer, at) =>
    answer.status === 'fulfilled' && 'signed' in answer.value
      ? [{ ...fresh[at]!, raw: answer.value.signed, hash: answer.value.hash }]
      : [],
  )
}

const ask = async (deps: SendingDeps, { outgoing, attempt }: Fresh): Promise<SignAnswer> =>
  askToSign(deps, outgoing, {
    network: outgoing.network,
    transactionId: outgoing.id,
    unsigned: attempt.unsigned,
    keys: attempt.keys,
    ...(await deps.purposeOf(outgoing)),
  })

/** Stores signed bytes. @returns those that may be broadcast: their claim still holds, and they are stored */
const store = async (deps: SendingDeps, signed: readonly Signed[]): Promise<Signed[]> => {
  const { runtime } = deps
  await deps.pause('signed-not-stored')
  const stored = await inTransaction(runtime.db, (tx) => recordSignedAll(tx, signed, momentOf(runtime)))
  await deps.pause('stored-not-broadcast')
  return signed.filter(({ outgoing }) => stored.has(outgoing.id))
}

/** Broadcasts them in order, up to the first that the node does not accept. */
const handOver = async (deps: SendingDeps, signed: readonly Signed[]): Promise<Signed[]> => {
  for (const [at, { outgoing, raw }] of signed.entries()) {
    const result = await inBroadcast(deps, outgoing, () => deps.adapter.broadcast(raw)).catch(() => undefined)
    if (result?.kind !== 'accepted') return signed.slice(0, at)
  }
  return [...signed]
}
