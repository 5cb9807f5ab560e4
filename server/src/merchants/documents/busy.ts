import { generalErrors } from '@bursar/contract'
import { refusal } from '../../platform/api/route.ts'
import { DocumentsBusy } from './maker.ts'

const RETRY_SECONDS = 10

/** Throws an ApiRefusal that asks the browser to come back if too many documents wait, and any other error as it is. */
export const refuseIfBusy = (error: unknown): never => {
  if (!(error instanceof DocumentsBusy)) throw error
  throw refusal(generalErrors.unavailable, 'too many documents are being made: try again', {
    retryAfterSeconds: RETRY_SECONDS,
  })
}
