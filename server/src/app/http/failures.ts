import { sqlState } from '../../platform/db/index.ts'
import { ApiRefusal, refusal } from '../../platform/api/route.ts'
import { invalidRequest, unavailable } from './refusals.ts'

const RETRY_SECONDS = 1

/**
 * Converts a failure to the refusal that is sent. It contains no internal details: the operator finds them in the log
 * by the request's id. `ours` is true when an operator should look.
 */
export const refusalOf = (error: unknown): { refusal: ApiRefusal; ours: boolean } => {
  if (error instanceof ApiRefusal) return { refusal: error, ours: false }
  const { statusCode } = (error ?? {}) as { statusCode?: unknown }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return {
      refusal: refusal(invalidRequest, 'the request is not well-formed HTTP: check its length and content type'),
      ours: false,
    }
  }
  // A value that no column can store came from the request: an operation's validation has a gap.
  if (sqlState(error)?.startsWith('22') === true)
    return { refusal: refusal(invalidRequest, 'a value can not be stored'), ours: true }
  return {
    refusal: refusal(unavailable, 'temporarily unavailable: try again', { retryAfterSeconds: RETRY_SECONDS }),
    ours: true,
  }
}
