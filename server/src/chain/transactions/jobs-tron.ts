import { mayRebuild, REBUILD_AFTER_MS } from '@bursar/chainkit/tron'
import type { ChainAdapter, TronChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { raiseAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { recordBump, recordLapsed, endSuperseded } from './commands.ts'
import { later, RETRY_MS, type SendingDeps } from './sending.ts'
import { isFinalPast } from '../watcher/index.ts'
import { attemptsOf, stepAgainAt } from './store.ts'
import type { Attempt, Outgoing, Purpose } from './transaction.ts'
import { recentReference } from './jobs-head.ts'
import { planTron, tronContractOf } from './tron-plan.ts'
import { TRANSACTION_ALERTS } from './refusals.ts'

const STUCK_PAUSE_MS = 60_000
/** Transfers between our own accounts: planned again, not renewed. They have no intent that the signer guards. */
const LAPSING: ReadonlySet<Purpose> = new Set(['sweep', 'gas', 'resources'])

/** Whether no node accepts the attempt any more; always false on chains whose transactions don't expire. */
export const hasExpired = ({ runtime }: SendingDeps, { expiresAt }: Attempt): boolean =>
  expiresAt !== null && runtime.clock.now() >= expiresAt.getTime()

/**
 * Ends an expired transaction between our own accounts, or renews any other one, once it is proven that it was not
 * mined and never will be, and after the delay that the signer requires. The proof has two parts: our watcher has read
 * every block up to a final one past the expiration, and the node confirms it. Every earlier attempt was proven dead
 * before it was replaced.
 */
export const renewExpired = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime, policy } = deps
  const adapter = tronAdapter(deps.adapter)
  const expiration = attempt.expiresAt!.getTime()
  if (LAPSING.has(outgoing.purpose)) return lapse(deps, outgoing, attempt)
  if (!mayRebuild(expiration, runtime.clock.now())) {
    const wait = Math.max(RETRY_MS, expiration + REBUILD_AFTER_MS - runtime.clock.now())
    return stepAgainAt(runtime.db, outgoing, later(deps, wait))
  }
  const isRead = await isFinalPast(runtime.db, 'TRON', expiration)
  if (
    !isRead ||
    !(await adapter.isProvenDead(attempt.hash!, expiration)) ||
    !(await isAllKnown(deps, outgoing, expiration))
  )
    return stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
  const contract = tronContractOf(attempt.unsigned)
  // The receiver's code may now use more than is paid for; the code that plans payouts bounds it.
  if (outgoing.purpose === 'payout' && contract.kind === 'TriggerSmartContract' && contract.callValue > 0n)
    return putBack(deps, outgoing, expiration)
  const [cost, prices, reference] = await Promise.all([
    adapter.estimateCost(contract),
    pricesOf(adapter),
    recentReference({ runtime, adapter }),
  ])
  if (outgoing.purpose === 'payout' && (outgoing.refusedSince !== null || (!cost.ok && cost.reason === 'reverted')))
    return putBack(deps, outgoing, expiration)
  const plan = cost.ok ? planTron({ id: outgoing.id, contract, reference, usage: cost.usage, prices }) : undefined
  if (!plan || plan.networkFee > policy.maxFee) {
    const why = cost.ok ? `its fee would be above the cap of ${policy.maxFee} sun` : cost.message
    const text = `Transaction ${attempt.hash} on TRON expired unmined and can't be replaced: ${why}`
    await raiseAlert(runtime.db, { kind: 'stuck', subject: outgoing.id, text }, momentOf(runtime))
    return stepAgainAt(runtime.db, outgoing, later(deps, STUCK_PAUSE_MS))
  }
  await resolveAlert(runtime.db, 'stuck', outgoing.id, momentOf(runtime).at)
  const isPlanned = await inTransaction(runtime.db, async (tx) => {
    if (!(await isFinalPast(tx, 'TRON', expiration))) return false
    return recordBump(tx, outgoing, { ...plan, signingKeys: attempt.keys, feeRate: prices }, momentOf(runtime))
  })
  if (!isPlanned) return stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
  await deps.pause('renewal-planned')
}

/**
 * Gives back a payment that nodes refuse, or that would fail, instead of renewing it: it is planned again under another
 * intent, because none of its transactions can be mined any more. It may need another form, or be impossible.
 */
const putBack = async (
  { runtime, subscribers, pause }: SendingDeps,
  { id }: Outgoing,
  expiration: number,
): Promise<void> => {
  await pause('death-proven')
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    if (!(await isFinalPast(tx, 'TRON', expiration))) return
    await endSuperseded(tx, id, subscribers, moment, new Set())
  })
}

const lapse = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime, subscribers } = deps
  const expiration = attempt.expiresAt!.getTime()
  if (
    !(await isFinalPast(runtime.db, 'TRON', expiration)) ||
    !(await tronAdapter(deps.adapter).isProvenDead(attempt.hash!, expiration))
  ) {
    return stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
  }
  await deps.pause('lapse-proven')
  await inTransaction(runtime.db, async (tx) => {
    if (!(await isFinalPast(tx, 'TRON', expiration))) return
    const moment = momentOf(runtime)
    await recordLapsed(tx, outgoing.id, subscribers, moment)
    await resolveAlertsOf(tx, TRANSACTION_ALERTS, [outgoing.id], moment.at)
  })
}

/**
 * Whether the database knows every transaction that the signer signed for the payment: an unknown one may have been
 * mined unseen. A restored copy may have lost that the payment was given up and made under its next intent.
 */
const isAllKnown = async (deps: SendingDeps, outgoing: Outgoing, expiration: number): Promise<boolean> => {
  const { runtime, signer } = deps
  const { intents } = await deps.purposeOf(outgoing)
  const known = new Set((await attemptsOf(runtime.db, outgoing.id)).map(({ hash }) => hash))
  for (const id of [...intents.map((intent) => intent.id), ...((await deps.nextIntentsOf?.(outgoing)) ?? [])]) {
    const unknown = (await signer.transactionsOf(id)).filter(({ hash }) => !known.has(hash))
    if (unknown.length === 0) continue
    const text =
      `Payment ${outgoing.id} on TRON has expired (${new Date(expiration).toISOString()}), and the signer has also signed ${unknown.map(({ hash }) => hash).join(', ')}, ` +
      'which this database does not have. Bursar makes no replacement; see docs/operating/recovery.md'
    await raiseAlert(runtime.db, { kind: 'stuck', subject: outgoing.id, text }, momentOf(runtime))
    return false
  }
  return true
}

const pricesOf = async (adapter: TronChainAdapter) => {
  const rate = await adapter.feeRate()
  if (rate.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  return rate
}

const tronAdapter = (adapter: ChainAdapter): TronChainAdapter => {
  if (adapter.network !== 'TRON') throw new Error(`transactions on ${adapter.network} don't expire`)
  return adapter as TronChainAdapter
}
