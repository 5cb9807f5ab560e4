import { generalErrors } from '@bursar/contract'
import { ApiRefusal } from '../../platform/api/route.ts'

/** A form that is wrong, with what to send instead; by the name of the field where it is one. */
export const refusal = (description: string, field?: string): ApiRefusal =>
  new ApiRefusal(
    generalErrors.invalidRequest.status,
    generalErrors.invalidRequest.code,
    description,
    field === undefined ? {} : { field: field.slice(0, 64) },
  )
