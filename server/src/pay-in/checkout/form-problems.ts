import type { FormProblem } from '@bursar/checkout'

/** Reasons for which invoices of both kinds refuse the same fields of their forms. */
export type CommonReason =
  | 'email-missing'
  | 'email-invalid'
  | 'choose-ticker'
  | 'ticker-refused'
  | 'choose-value'
  | 'value-invalid'
  | 'not-found'
  | 'ended'

export const commonProblem = (reason: CommonReason): FormProblem => {
  switch (reason) {
    case 'email-missing':
      return { field: 'email', why: 'missing' }
    case 'email-invalid':
      return { field: 'email', why: 'malformed' }
    case 'choose-ticker':
    case 'ticker-refused':
      return { field: 'choice', why: 'missing' }
    case 'choose-value':
      return { field: 'value', why: 'missing' }
    case 'value-invalid':
      return { field: 'value', why: 'malformed' }
    case 'not-found':
    case 'ended':
      return { field: 'form', why: 'gone' }
  }
}
