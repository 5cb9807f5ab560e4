import { generalErrors } from '@bursar/contract'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'

/** The refusal of a form, with what to send instead, and the field's name if it concerns one. */
export const formRefusal = (description: string, field?: string): ApiRefusal =>
  refusal(generalErrors.invalidRequest, description, field?.slice(0, 64))
