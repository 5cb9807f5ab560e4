import type { FormProblem } from '@bursar/checkout'
import type { PayerRefusal } from '../crypto-invoices/index.ts'
import type { FiatPayerRefusal } from '../fiat-invoices/index.ts'

/** Reasons for which invoices of both kinds refuse a form. */
type CommonReason = Extract<PayerRefusal['reason'], FiatPayerRefusal['reason']>

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
