import { isEvmNetwork, type Block } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { SignedTransaction } from '../../adapters/signer/port.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, joinEffects } from '../../ledger/effects/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { readForm } from './adopting.ts'
import { spentMoves } from './coins.ts'
import { insertAttempt, endSuperseded } from './commands.ts'
import { UNCLEAR, signedFor, stillPossible } from './possible.ts'
import { createTransactionSubscriber } from './subscriber.ts'
import { lostOf, findSuperseded, type Lost } from './conflicts.ts'
import { endUsedNonces } from './jobs-used-nonces.ts'
import type { SendingDeps } from './sending.ts'
import type { Outgoing } from './transaction.ts'

/**
 * Ends transactions whose nonce or coin a conflict in a final block has used. First it asks the signer: the conflict
 * may be an attempt of the same payment that the database has lost, which is then recorded. Otherwise every signed
 * attempt must need the used coin or nonce. If the conflict pays only some of several payments, those wait to be
 * attached to it. The others are paid again under another intent, and an alert is raised.
 */
export const createSupersededJob = (deps: SendingDeps, everyMs: number): Job => ({
  name: `overtaken ${deps.network}`,
  everyMs,
  run: async () => {
    const steps = [
      async () =>
        forEachIsolated(await findSuperseded(deps.runtime.db, deps.network), (outgoing) => settle(deps, outgoing)),
      () => endUsedNonces(deps),
    ]
    await forEachIsolated(steps, (step) => step())
    return false
  },
})

const settle = async (deps: SendingDeps, outgoing: Outgoing): Promise<void> => {
  const { runtime, subscribers } = deps
  const lost = await lostOf(runtime.db, outgoing)
  const intents = outgoing.purpose === 'payout' ? (await deps.purposeOf(outgoing)).intents.map(({ id }) => id) : []
  const signed = await signedFor(deps, intents)
  const paid = new Set<string>()
  for (const { hash, height } of lost) {
    const own = signed.find((transaction) => transaction.hash === hash)
    if (!own) continue
    for (const { id } of own.intents) paid.add(id)
    if (intents.every((id) => paid.has(id))) return book(deps, outgoing, own, height)
  }
  const alive = outgoing.purpose === 'payout' ? await stillPossible(deps, outgoing, signed, lost) : undefined
  if (alive !== undefined) return alertUnclear(deps, outgoing, lost, alive)
  await deps.pause('superseded-proven')
  await inTransaction(runtime.db, async (tx) => {
    const now = await lostOf(tx, outgoing)
    if (!lost.every((one) => now.some(({ key, hash }) => key === one.key && hash === one.hash))) return
    const moment = momentOf(runtime)
    if (!(await endSuperseded(tx, outgoing.id, subscribers, moment, paid))) return
    await resolveAlertsOf(tx, [RECALLED, UNCLEAR], [outgoing.id], moment.at)
    if (await isRecalled(tx, outgoing, lost)) return
    await raiseAlert(
      tx,
      { kind: 'overtaken', subject: outgoing.id, text: textOf(outgoing, lost[0]!), detail: lost },
      moment,
    )
  })
}

/** Kind of the alert that is raised when a transaction of ours to recall a payout is planned. */
const RECALLED = 'payout-recalled'

/** Whether a transaction of ours without a payment has recalled it: its alert was raised when that was planned. */
const isRecalled = async (tx: Tx, { network }: Outgoing, lost: readonly Lost[]): Promise<boolean> => {
  const { rows } = await sql`select from outgoing o join outgoing_attempts a on a.outgoing_id = o.id
    where a.network = ${network} and a.hash = ${lost[0]!.hash} and o.purpose = 'consolidation'`.execute(tx)
  return rows.length > 0
}

const textOf = ({ id, network, purpose }: Outgoing, { key, hash, height }: Lost): string =>
  `Transaction ${hash} in final block ${height} of ${network} used up ${key}, which the ${purpose} ${id} needed, so that this can never be mined. ` +
  (purpose === 'payout' ? 'Its withdrawals are paid again. ' : '') +
  'If your organisation did not send it, another party may have the key: stop with "bursar freeze --all" and investigate'

const alertUnclear = async (
  { runtime }: SendingDeps,
  outgoing: Outgoing,
  lost: readonly Lost[],
  alive: string,
): Promise<void> => {
  const { key, hash } = lost[0]!
  const text = `Transaction ${hash} on ${outgoing.network} used up ${key} of payment ${outgoing.id}, but transaction ${alive}, which was signed for the same payment, may still be mined. The payment waits. See docs/operating/recovery.md`
  await raiseAlert(runtime.db, { kind: UNCLEAR, subject: outgoing.id, text }, momentOf(runtime))
}

/** Records a conflict that was signed for the same payment and lost by the database. Its block is the outcome. */
const book = async (deps: SendingDeps, outgoing: Outgoing, own: SignedTransaction, height: number): Promise<void> => {
  const { runtime, network, adapter, subscribers } = deps
  const block = await adapter.blockAt(height)
  if (!block?.transactions.some(({ hash }) => hash === own.hash))
    throw new Error(`block ${height} of ${network} does not show ${own.hash}: the node is on another branch`)
  const form = readForm(own)
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const { rows } = await sql<{
      attempt: number
    }>`update outgoing set attempt = attempt + 1 where id = ${outgoing.id} and attempt = ${outgoing.attempt}
      and state in ('signed', 'broadcast') returning attempt`.execute(tx)
    if (!rows[0]) return
    const { attempt } = rows[0]
    await insertAttempt(
      tx,
      outgoing.id,
      network,
      attempt,
      { unsigned: form.unsigned, signingKeys: form.signingKeys, feeRate: {}, networkFee: form.networkFee },
      moment.at,
    )
    await sql`update outgoing_attempts set raw = ${form.raw}, hash = ${form.hash}, signed_at = ${moment.at}, asked_at = ${moment.at}
      where outgoing_id = ${outgoing.id} and attempt = ${attempt}`.execute(tx)
    const moves = network === 'BITCOIN' ? await spentMoves(tx, network, [form.hash]) : []
    const shown = await createTransactionSubscriber(subscribers).block(tx, network, atBusinessTime(block, deps), moment)
    await carryOut(tx, joinEffects([{ items: [], notices: [], moves }, shown]), moment)
  })
}

const atBusinessTime = (block: Block, { runtime: { clock } }: SendingDeps): Block => ({
  ...block,
  time: block.time + clock.business() - clock.now(),
})
