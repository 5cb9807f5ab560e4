import type { SignAnswer } from '../../adapters/signer/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { resolveAlerts, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { refusalSubject, SIGNER_ALERTS } from './refusals.ts'
import { later, type SendingDeps } from './sending.ts'
import { mayAskAll, recordAcceptedAll, recordSignedAll, type Fresh, type Signed } from './together.ts'

/** Requests to the signer at once: its queue holds 64, from all networks. */
const ASKED_AT_ONCE = 8

/**
 * Has unsigned transactions of one sender signed, stores them and broadcasts them in order. Each has an intent and a
 * signature of its own, but each of the three steps is one database transaction for all. Transactions that are stopped,
 * refused or not accepted by the node are left unchanged; the caller processes all that are not in the result one by
 * one.
 * @returns ids of those that a node accepted
 */
export const sendTogether = async (deps: SendingDeps, fresh: readonly Fresh[]): Promise<ReadonlySet<string>> => {
  const { runtime, network, carriesStopped } = deps
  const asked = await inTransaction(runtime.db, (tx) =>
    mayAskAll(tx, network, fresh, carriesStopped, momentOf(runtime).at),
  )
  await deps.pause('before-sign')
  const signed = await signAll(
    deps,
    fresh.filter(({ outgoing }) => asked.has(outgoing.id)),
  )
  await deps.pause('signed-not-stored')
  const stored = await inTransaction(runtime.db, (tx) => recordSignedAll(tx, signed, momentOf(runtime)))
  const purposes = new Set(signed.map(({ outgoing }) => refusalSubject(network, outgoing.purpose)))
  await resolveAlertsOf(runtime.db, SIGNER_ALERTS, [...purposes], momentOf(runtime).at)
  await deps.pause('stored-not-broadcast')
  const accepted = await handOver(
    deps,
    signed.filter(({ outgoing }) => stored.has(outgoing.id)),
  )
  await deps.pause('broadcast-not-recorded')
  const next = later(deps, deps.policy.rebroadcastEveryMs)
  await inTransaction(runtime.db, (tx) => recordAcceptedAll(tx, accepted, next, deps.subscribers, momentOf(runtime)))
  const ids = accepted.map(({ outgoing }) => outgoing.id)
  await resolveAlerts(runtime.db, 'broadcast', ids, momentOf(runtime).at)
  return new Set(ids)
}

const signAll = async (deps: SendingDeps, fresh: readonly Fresh[]): Promise<Signed[]> => {
  const signed: Signed[] = []
  for (let from = 0; from < fresh.length; from += ASKED_AT_ONCE) {
    const some = fresh.slice(from, from + ASKED_AT_ONCE)
    const answers = await Promise.allSettled(some.map((one) => ask(deps, one)))
    for (const [at, answer] of answers.entries()) {
      if (answer.status === 'fulfilled' && 'signed' in answer.value)
        signed.push({ ...some[at]!, raw: answer.value.signed, hash: answer.value.hash })
    }
  }
  return signed
}

const ask = async ({ signer, purposeOf }: SendingDeps, { outgoing, attempt }: Fresh): Promise<SignAnswer> =>
  signer.sign({
    network: outgoing.network,
    transactionId: outgoing.id,
    unsigned: attempt.unsigned,
    keys: attempt.keys,
    ...(await purposeOf(outgoing)),
  })

/** Broadcasts them in order, up to the first that the node does not accept: later nonces have to wait for it. */
const handOver = async ({ adapter }: SendingDeps, signed: readonly Signed[]): Promise<Signed[]> => {
  for (const [at, { raw }] of signed.entries()) {
    const result = await adapter.broadcast(raw).catch(() => undefined)
    if (result?.kind !== 'accepted') return signed.slice(0, at)
  }
  return [...signed]
}
