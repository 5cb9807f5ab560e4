/** Places the payouts of approved files, one by one. */
import { ApiRefusal } from '../../platform/api/route.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { nowOf } from '../../people/access/index.ts'
import type { Rules } from '../withdrawals/index.ts'
import { canWait, placeLine } from './approving.ts'
import { requireServed } from './asking.ts'
import { PayoutProblem, type PayoutTrouble } from './problem.ts'
import { endLine, linesOf, lockRequest, moveRequest, placingRequests, type PayoutRequest } from './store.ts'

interface PlacingJobDeps {
  runtime: Runtime
  rules: Rules
}

const REQUESTS = 20
/** A payout that is stopped, or whose fee is unknown, is tried for so long after the approval. */
const LONGEST_MS = 24 * 3_600_000
const REASONS: Partial<Record<PayoutTrouble, string>> = {
  fee: 'the fee is more than twice the fee at the time of the request',
  'not-served': 'the merchant is disabled or has ended',
}

/** Each payout is placed in a transaction of its own, together with the state of its line: once, whatever is killed. */
export const createPlacingJob = (deps: PlacingJobDeps, everyMs: number): Job => ({
  name: 'payouts of files',
  everyMs,
  run: async (signal) => {
    const requests = await placingRequests(deps.runtime.db, REQUESTS)
    await forEachIsolated(requests, (request) => placeAll(deps, request, signal))
    return false
  },
})

const placeAll = async (deps: PlacingJobDeps, request: PayoutRequest, signal: AbortSignal): Promise<void> => {
  const waiting = (await linesOf(deps.runtime.db, request.id)).filter(({ state }) => state === 'waiting')
  await forEachIsolated(waiting, async ({ number }) => {
    if (!signal.aborted) await placeOne(deps, request, number)
  })
  await inTransaction(deps.runtime.db, async (tx) => {
    const found = await lockRequest(tx, request.merchantId, request.id)
    if (!found || (await linesOf(tx, request.id)).some(({ state }) => state === 'waiting')) return
    await moveRequest(tx, found, 'ended', { by: found.decidedBy!, at: found.decidedAt! })
  })
}

const placeOne = async ({ runtime, rules }: PlacingJobDeps, request: PayoutRequest, number: number): Promise<void> => {
  const now = nowOf(runtime)
  const { merchantId, id, decidedAt } = request
  try {
    await inTransaction(runtime.db, async (tx) => {
      const line = await lockedLine(tx, request, number)
      if (!line) return
      await requireServed(tx, merchantId)
      await placeLine(tx, request, line, rules, now)
    })
  } catch (error) {
    const isLate = now.real.getTime() - decidedAt!.getTime() > LONGEST_MS
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    if (error instanceof ApiRefusal && canWait(error) && !isLate) return
    await inTransaction(runtime.db, async (tx) => {
      if (await lockedLine(tx, { merchantId, id }, number))
        await endLine(tx, { requestId: id, number }, { reason }, now.real)
    })
  }
}

/** The line, if it still waits. Another worker waits for the end of this transaction. */
const lockedLine = async (
  tx: Parameters<typeof lockRequest>[0],
  { merchantId, id }: Pick<PayoutRequest, 'merchantId' | 'id'>,
  number: number,
) => {
  const request = await lockRequest(tx, merchantId, id)
  if (request?.state !== 'placing') return undefined
  return (await linesOf(tx, id)).find((line) => line.number === number && line.state === 'waiting')
}

/** Why a payout is refused; undefined: the error is no refusal. */
const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof ApiRefusal) return error.message
  return error instanceof PayoutProblem ? REASONS[error.trouble] : undefined
}
