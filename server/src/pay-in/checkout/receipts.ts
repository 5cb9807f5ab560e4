import { generalErrors } from '@bursar/contract'
import { ApiRefusal } from '../../platform/api/route.ts'

const RETRY_SECONDS = 10

/** Turns the document maker's "too many at once" into an answer that asks the browser to come back. */
export const tooBusy =
  (Busy: new (...given: never[]) => Error) =>
  (error: unknown): never => {
    const { status, code } = generalErrors.unavailable
    if (error instanceof Busy)
      throw new ApiRefusal(status, code, 'too many receipts are being made: try again', {
        retryAfterSeconds: RETRY_SECONDS,
      })
    throw error
  }
