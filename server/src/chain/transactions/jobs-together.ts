import type { SignAnswer } from '../../adapters/signer/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { resolveAlerts } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { later, type SendingDeps } from './sending.ts'
import { mayAskAll, recordAcceptedAll, recordSignedAll, type Fresh, type Signed } from './together.ts'

/** The signer keeps 64 requests waiting at most, of all networks. */
const ASKED_AT_ONCE = 8

/**
 * Signs transactions of one sender that nothing has been signed for, stores what was signed and hands it over in their
 * order: one intent and one signature each, but one database transaction for all at each of the three steps. Who is
 * stopped, refused or not taken by the node is left as it is: each that is not among those answered is carried on one
 * by one.
 * @returns ids of those that a node took
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

/** One after the other, up to the first that the node does not take: what is behind its nonce waits with it. */
const handOver = async ({ adapter }: SendingDeps, signed: readonly Signed[]): Promise<Signed[]> => {
  for (const [at, { raw }] of signed.entries()) {
    const result = await adapter.broadcast(raw).catch(() => undefined)
    if (result?.kind !== 'accepted') return signed.slice(0, at)
  }
  return [...signed]
}
