import { wasRestoredSince } from '../../platform/runtime/installation.ts'
import { AcquirerRefusal, AcquirerUnreachable, type Acquirer, type CardTicker } from '../../adapters/acquirers/port.ts'
import { inAcquirerCall, readFailing, recordOutcome, routeOf } from '../acquiring/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { withoutCard, withoutCardNumbers } from '../../platform/api/card-numbers.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { NO_ROUTE_ALERT, NOT_TAKEN_UP_ALERT, alertNoRoute, alertNotTakenUp } from './alerts.ts'
import { attemptsOf } from './attempts.ts'
import { begin, giveUp, type Outcome } from './commands.ts'
import { record } from './jobs-recording.ts'
import type { Attempt, Part } from './payout.ts'
import { isForRequest } from './request-ids.ts'
import { cardOf, referenceOf, type CardPayoutDeps } from './sending.ts'
import { claimPlanned, sealedCardOf, stepAgainAt } from './store.ts'

/** Well above the deadline of one call; after it, another worker may query the outcome. */
const LEASE_MS = 90_000
const MOST_AT_ONCE = 16
const NO_ROUTE_MS = 60_000
const STOPPED_MS = 5_000
const FAILED_MS = 15_000
/** How long sending a part may fail before an alert is raised. */
const TELL_AFTER_MS = 5 * 60_000

/** Creates the job that sends parts which no acquirer has. An order is stored before its acquirer is called. */
export const createSendingJob = (deps: CardPayoutDeps, everyMs: number): Job => ({
  name: 'send card payouts',
  everyMs,
  idleMs: IDLE_MS,
  run: async () => {
    const { runtime } = deps
    const due = await claimPlanned(runtime.db, momentOf(runtime).at, LEASE_MS, MOST_AT_ONCE)
    await Promise.all(due.map((part) => sendOne(deps, part)))
    return due.length === MOST_AT_ONCE
  },
})

/** Sends one part. The text of an unexpected error may contain sent data, so only the part's id is logged then. */
const sendOne = async (deps: CardPayoutDeps, part: Part): Promise<void> => {
  try {
    await send(deps, part)
  } catch (error) {
    deps.runtime.log.error(
      { err: error, part: part.id },
      'a part of a card payout could not be processed and is tried again',
    )
    await alertLate(deps, part, error)
    await stepAgainAt(deps.runtime.db, part, later(deps, FAILED_MS))
  }
}

const alertLate = async ({ runtime }: CardPayoutDeps, part: Part, error: unknown): Promise<void> => {
  const moment = momentOf(runtime)
  if (moment.at.getTime() - part.createdAt.getTime() < TELL_AFTER_MS) return
  await alertNotTakenUp(
    runtime.db,
    part,
    withoutCardNumbers(error instanceof Error ? error.message : 'it threw no error'),
    moment,
  )
}

const later = ({ runtime }: CardPayoutDeps, ms: number): Date => new Date(runtime.clock.business() + ms)

const send = async (deps: CardPayoutDeps, part: Part): Promise<void> => {
  const { runtime } = deps
  const { able, refusedBy } = await routesOf(deps, part)
  const acquirer = deps.acquirers.get(able[0] ?? '')
  if (!acquirer) return refusedBy > 0 ? endUntakeable(deps, part) : waitForRoute(deps, part)
  if (deps.proved && !(await deps.proved(part))) return stepAgainAt(runtime.db, part, later(deps, STOPPED_MS))
  const sealed = await sealedCardOf(runtime.db, part.merchantId, part.payoutId)
  if (sealed === null) throw new Error(`card payout ${part.payoutId} has no card any more`)
  const card = deps.cards.open(sealed, cardOf({ merchantId: part.merchantId, id: part.payoutId }))
  await deps.pause('card-payout-chosen')
  const reference = referenceOf(part.id, part.attempts + 1)
  const forgotten = await forgottenOrder(deps, part, acquirer, reference)
  const { name: account } = forgotten?.acquirer ?? acquirer
  const attempt = await inTransaction(runtime.db, (tx) =>
    begin(tx, part, { account, reference, nextAskAt: later(deps, LEASE_MS) }, momentOf(runtime)),
  )
  if (!attempt) return stepAgainAt(runtime.db, part, later(deps, STOPPED_MS))
  await deps.pause('card-payout-begun')
  const outcome = forgotten?.outcome ?? (await payOut(deps, acquirer, part, attempt, card))
  await deps.pause('card-payout-answered')
  await record(deps, attempt, outcome, { another: able.length > 1, attempts: part.attempts + 1 })
  await deps.pause('card-payout-recorded')
  for (const kind of [NO_ROUTE_ALERT, NOT_TAKEN_UP_ALERT] as const)
    await resolveAlert(runtime.db, kind, part.id, momentOf(runtime).at)
}

const EVER = new Date(0)

/**
 * Returns an order that another account has received but a restored database does not contain, because the routes may
 * have been different then. For the account that is chosen now, the reference itself prevents a second payment. Throws
 * when an account can't be asked.
 */
const forgottenOrder = async (
  { runtime, acquirers }: CardPayoutDeps,
  part: Part,
  chosen: Acquirer,
  reference: string,
): Promise<{ acquirer: Acquirer; outcome: Outcome } | undefined> => {
  // A payment for a request is placed after a restore when the restored database has only its approval.
  const since = isForRequest(part.id) ? EVER : part.createdAt
  if (!(await wasRestoredSince(runtime.db, since))) return undefined
  for (const acquirer of acquirers.values()) {
    if (acquirer.name === chosen.name || acquirer.capabilities.payout[part.ticker as CardTicker] === undefined) continue
    const outcome = await acquirer.payoutState(reference)
    if (outcome.kind !== 'unknown') return { acquirer, outcome }
  }
  return undefined
}

/**
 * Returns the accounts that can take a part, in the order to try them. Accounts that refused it are left out; accounts
 * that could not be reached come last.
 */
const routesOf = async (
  { runtime, routing }: CardPayoutDeps,
  part: Part,
): Promise<{ able: string[]; refusedBy: number }> => {
  const before = await attemptsOf(runtime.db, part.id)
  const refused = new Set(before.filter(({ state }) => state === 'refused').map(({ account }) => account))
  const missed = (name: string): number =>
    before.filter(({ account, state }) => account === name && state === 'unsent').length
  const order = { direction: 'payout', ticker: part.ticker, units: part.units } as const
  const names = routeOf(routing, order, await readFailing(runtime.db, momentOf(runtime).at)).filter(
    (name) => !refused.has(name),
  )
  return { able: names.toSorted((a, b) => missed(a) - missed(b)), refusedBy: refused.size }
}

/**
 * Calls the acquirer once. Without a clear answer the outcome is unknown, unless the order provably did not reach it.
 */
const payOut = async (
  deps: CardPayoutDeps,
  acquirer: Acquirer,
  part: Part,
  { reference }: Attempt,
  card: string,
): Promise<Outcome> => {
  const { runtime } = deps
  const health = (good: boolean): Promise<void> =>
    recordOutcome(runtime.db, { acquirer: acquirer.name, direction: 'payout', good }, momentOf(runtime).at)
  try {
    const order = {
      reference,
      ticker: part.ticker as CardTicker,
      units: part.units,
      card,
      description: `Payout ${part.id}`,
    }
    const state = await inAcquirerCall(acquirer, 'payout', part.payoutId, () =>
      acquirer.payOut({ ...order, callbackUrl: deps.callbackUrl(acquirer.name) }),
    )
    await health(state.kind !== 'unknown')
    if (state.kind === 'unknown')
      runtime.log.warn(
        { account: acquirer.name, reference, part: part.id, why: withoutCard(state.reason ?? 'no reason', card) },
        'the answer to a card payout is not conclusive; the acquirer is queried',
      )
    return withoutCardIn(state, card)
  } catch (error) {
    const message = withoutCard(error instanceof Error ? `${error.name}: ${error.message}` : 'it threw no error', card)
    if (error instanceof AcquirerRefusal)
      return { kind: 'refused', acquirerReference: undefined, code: error.code, message, maskedCard: undefined }
    runtime.log.warn(
      { account: acquirer.name, reference, part: part.id, why: message },
      'an acquirer did not answer a card payout',
    )
    await health(false)
    return error instanceof AcquirerUnreachable && !error.sent
      ? { kind: 'unsent', message }
      : { kind: 'unknown', reason: message }
  }
}

/** Removes the card number from the acquirer's texts, which may contain it. */
const withoutCardIn = (state: Outcome, card: string): Outcome => {
  if (state.kind === 'refused')
    return { ...state, code: withoutCard(state.code, card), message: withoutCard(state.message, card) }
  if ((state.kind === 'unknown' || state.kind === 'waiting') && state.reason !== undefined)
    return { ...state, reason: withoutCard(state.reason, card) }
  return state
}

const waitForRoute = async (deps: CardPayoutDeps, part: Part): Promise<void> => {
  await alertNoRoute(deps.runtime.db, part, momentOf(deps.runtime))
  await stepAgainAt(deps.runtime.db, part, later(deps, NO_ROUTE_MS))
}

const endUntakeable = async ({ runtime, catalogue }: CardPayoutDeps, part: Part): Promise<void> => {
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const effects = await giveUp(tx, part, catalogue, moment)
    if (effects) await carryOut(tx, effects, moment)
  })
}
