import { LOG_START, readLogLines, type LogEnd, type LogLine, type SignerLog } from '../../adapters/signer/index.ts'
import { NETWORKS, type Network } from '@bursar/chainkit'
import { oursAmong, plannedAmong } from '../../chain/transactions/index.ts'
import {
  findWaitingByIntents,
  holdWaitingRepeats,
  paidIntents,
  recordLost,
  reportLost,
  resolveLost,
  type LostPayment,
} from '../../pay-out/withdrawals/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { recordReplay } from '../../platform/runtime/restores.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { Attach } from './attaching.ts'

/** The result of comparing the signer's log with the books of a restored copy. */
export interface Replay {
  /** lines of the log that were compared */
  lines: number
  /** payments in them that the books have */
  known: number
  attached: string[]
  /** withdrawals that are paid again, because what was signed for them can never be mined */
  superseded: string[]
  /** payments without a withdrawal in the books */
  lost: LostPayment[]
  /** withdrawals that could not be attached, and why */
  failed: { withdrawalId: string; why: string }[]
  /** transactions that the books lack and that pay no withdrawal: sweeps, fillers and the like, by purpose */
  otherLost: Record<string, number>
}

export interface ReplayDeps {
  runtime: Runtime
  catalogue: Catalogue
  signer: SignerLog
  attach: Attach
}

/**
 * Compares each payment of the signer's log after `since` with the books. A payment that the books lack is attached to
 * the withdrawal that waits with its intent, or stored as lost when there is none. Everything that was signed before
 * the copy was made is known to the copy: a transaction is planned in the database before it is signed, and the end of
 * the log is stored after that. Waiting withdrawals that equal a lost payment are held. Can be repeated; each run finds
 * the withdrawals that merchants have requested again.
 * Throws LogLinesBroken when the log does not continue from `since`.
 * @param since the end of the log that the copy knew
 */
export const replaySignerLog = async (
  { runtime, catalogue, signer, attach }: ReplayDeps,
  since: LogEnd,
): Promise<Replay> => {
  const replay: Replay = { lines: 0, known: 0, attached: [], superseded: [], lost: [], failed: [], otherLost: {} }
  let end = since
  for (;;) {
    const texts = await signer.logLines(end.length)
    if (texts.length === 0) break
    const read = readLogLines(texts, end)
    await compareLines({ runtime, attach, replay }, read.lines)
    replay.lines += read.lines.length
    end = read.end
  }
  const moment = momentOf(runtime)
  await inTransaction(runtime.db, async (tx) => {
    await recordLost(tx, replay.lost, moment.at)
    await reportLost(tx, NETWORKS, moment)
    await recordReplay(tx, end.length, new Date(runtime.clock.now()))
  })
  await holdWaitingRepeats({ runtime, catalogue })
  return replay
}

/** The end of a log that a copy without any line of it knew. */
export const WHOLE_LOG = LOG_START

interface Comparing {
  runtime: Runtime
  attach: Attach
  replay: Replay
}

const compareLines = async (comparing: Comparing, lines: readonly LogLine[]): Promise<void> => {
  const { runtime, replay } = comparing
  const signed = lines.flatMap(({ seq, signed: transaction }) => (transaction ? [{ seq, transaction }] : []))
  const planned = await plannedAmong(
    runtime.db,
    signed.map(({ transaction }) => transaction.transactionId),
  )
  const unplanned = signed.filter(({ transaction }) => !planned.has(transaction.transactionId))
  replay.known += signed
    .filter(({ transaction }) => planned.has(transaction.transactionId))
    .reduce((sum, { transaction }) => sum + transaction.intents.length, 0)
  for (const { transaction } of unplanned.filter(({ transaction: { intents } }) => intents.length === 0))
    replay.otherLost[transaction.purpose] = (replay.otherLost[transaction.purpose] ?? 0) + 1
  const payments: LostPayment[] = unplanned.flatMap(({ seq, transaction }) =>
    transaction.intents.map(({ id, asset, to, units }) => ({
      intentId: id,
      hash: transaction.hash,
      network: transaction.network,
      ticker: asset,
      to,
      chainUnits: BigInt(units),
      conflictKeys: transaction.conflictKeys,
      logLine: seq,
      signedAt: new Date(transaction.at),
    })),
  )
  await attachWaiting(comparing, payments)
  const adopted = await adoptedOf(runtime.db, payments)
  replay.known += adopted.length
  const intents = adopted.map(({ intentId }) => intentId)
  await resolveLost(runtime.db, intents, 'attached', momentOf(runtime).at)
  replay.lost.push(
    ...payments.filter((payment) => !adopted.includes(payment) && !replay.superseded.includes(payment.intentId)),
  )
}

/** Attaches the withdrawals that wait with the intents of these payments. */
const attachWaiting = async (
  { runtime, attach, replay }: Comparing,
  payments: readonly LostPayment[],
): Promise<void> => {
  const waiting = await findWaitingByIntents(runtime.db, [...new Set(payments.map(({ intentId }) => intentId))])
  for (const { merchantId, id, intentId } of waiting) {
    try {
      const done = await attach({ merchantId, id })
      if (done.kind === 'attached') replay.attached.push(id)
      if (done.kind !== 'superseded') continue
      replay.superseded.push(intentId)
      await resolveLost(runtime.db, [intentId], 'superseded', momentOf(runtime).at)
    } catch (error) {
      replay.failed.push({ withdrawalId: id, why: (error as Error).message })
    }
  }
}

/** Returns those payments whose transactions the books have, for a withdrawal with the same intent. */
const adoptedOf = async (db: Db, payments: readonly LostPayment[]): Promise<LostPayment[]> => {
  const outgoing = new Map<string, string>()
  for (const network of new Set(payments.map((payment): Network => payment.network))) {
    const hashes = payments.filter((payment) => payment.network === network).map(({ hash }) => hash)
    for (const [hash, { outgoingId }] of await oursAmong(db, network, hashes))
      outgoing.set(`${network}/${hash}`, outgoingId)
  }
  const paid = await paidIntents(db, [...new Set(outgoing.values())])
  return payments.filter(({ network, hash, intentId }) => paid.has(`${outgoing.get(`${network}/${hash}`)}/${intentId}`))
}
