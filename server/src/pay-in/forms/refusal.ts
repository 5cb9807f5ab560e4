import { generalErrors } from '@bursar/contract'
import { ApiRefusal } from '../../platform/api/route.ts'

/** The refusal of a form, with what to send instead, and the field's name if it concerns one. */
export const refusal = (description: string, field?: string): ApiRefusal =>
  new ApiRefusal(
    generalErrors.invalidRequest.status,
    generalErrors.invalidRequest.code,
    description,
    field === undefined ? {} : { field: field.slice(0, 64) },
  )
