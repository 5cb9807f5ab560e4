import { withoutCards } from '../card-mask.ts'
import { AcquirerRefusal, AcquirerUnreachable, type AcquirerState } from '../port.ts'
import { refusedRefund } from '../refunds.ts'
import type { FreedomPayAnswer } from './call.ts'
import {
  codeOf,
  FREEDOMPAY_NOT_BEGUN,
  FREEDOMPAY_NOT_BELIEVED,
  FREEDOMPAY_NOT_IDENTIFIED,
  isRefundRecord,
  pgText,
} from './state.ts'

/** Derives states from answers, by their signature and contents. */

type Fields = FreedomPayAnswer['fields']

const isError = (fields: Fields): boolean => pgText(fields, 'pg_status') === 'error'

const messageOf = (fields: Fields): string => withoutCards(pgText(fields, 'pg_error_description'))

/** Reads the state of a signed answer; an unsigned one decides nothing. */
export const decided = (
  { fields, isSigned }: FreedomPayAnswer,
  read: (fields: Fields) => AcquirerState,
): AcquirerState =>
  isSigned
    ? read(fields)
    : pgText(fields, 'pg_sig') === ''
      ? { kind: 'unknown', reason: `an unsigned answer, code ${codeOf(fields)}` }
      : { kind: 'unknown', reason: `an answer signed with another key, code ${codeOf(fields)}`, otherKey: true }

/** @throws AcquirerUnreachable for errors about our key, shop or contract, which do not concern any payment */
export const requireBelieved = (name: string, { fields }: FreedomPayAnswer): void => {
  if (!isError(fields) || !FREEDOMPAY_NOT_BELIEVED.has(codeOf(fields))) return
  throw new AcquirerUnreachable(`${name}: it refuses to answer: ${codeOf(fields)}`, { sent: true })
}

/**
 * Whether the order was not begun. An unsigned answer proves this only where Freedom Pay has no key to sign with: it
 * does not recognise the shop or our signature.
 */
const isNotBegun = ({ fields, isSigned }: FreedomPayAnswer): boolean =>
  isError(fields) && (isSigned ? FREEDOMPAY_NOT_BEGUN : FREEDOMPAY_NOT_IDENTIFIED).has(codeOf(fields))

const OWN_FAILURE: ReadonlySet<string> = new Set(['600', '1000', '9999', 'unspecified'])

/**
 * Error for a payment without a page. Without a page no payer can pay, so an error of Freedom Pay is a refusal, unless
 * it reports its own failure.
 */
export const noPage = (name: string, answer: FreedomPayAnswer): AcquirerRefusal | AcquirerUnreachable => {
  const { fields, isSigned } = answer
  const code = codeOf(fields)
  if (isNotBegun(answer) || (isSigned && isError(fields) && !OWN_FAILURE.has(code)))
    return new AcquirerRefusal(code, messageOf(fields))
  return new AcquirerUnreachable(`${name}: no link to the page, code ${code}`, { sent: true })
}

/**
 * State after a payout's answer. `ok` may only mean that the payout was accepted, and an error may concern a repeated
 * order: the status query decides.
 */
export const readPayoutAnswer = (answer: FreedomPayAnswer): AcquirerState => {
  const { fields } = answer
  const code = codeOf(fields)
  if (isNotBegun(answer))
    return {
      kind: 'refused',
      acquirerReference: undefined,
      code,
      message: messageOf(fields),
      maskedCard: undefined,
      elsewhere: true,
    }
  const waiting: AcquirerState = { kind: 'waiting', reason: withoutCards(pgText(fields, 'pg_status')) }
  return decided(answer, () => (isError(fields) ? { kind: 'unknown', reason: `code ${code}` } : waiting))
}

/**
 * State of a refund that was not begun; undefined for any other answer. That includes 490 (cannot be cancelled), which
 * may also answer a refund that was made.
 */
export const readRefundRefusal = ({ fields, isSigned }: FreedomPayAnswer): AcquirerState | undefined =>
  isSigned && isError(fields) && FREEDOMPAY_NOT_BEGUN.has(codeOf(fields))
    ? refusedRefund(codeOf(fields), messageOf(fields))
    : undefined

/** State after an undecided answer, with its error, if any, for an operator to read. */
export const afterRefundError = ({ fields }: FreedomPayAnswer, state: AcquirerState): AcquirerState =>
  isError(fields) && state.kind === 'unknown'
    ? {
        kind: 'unknown',
        reason: withoutCards(`revoke.php answered ${codeOf(fields)}: ${state.reason ?? 'nothing of it shows'}`),
      }
    : state

/**
 * Whether a listed refund (`pg_refund_payments`) has neither succeeded nor failed, or the order's newest payment is
 * such a refund.
 */
export const isRefundUnderWay = ({ fields, isSigned }: FreedomPayAnswer): boolean => {
  if (!isSigned) return false
  return [...refundsIn(fields), ...(isRefundRecord(fields) ? [fields] : [])].some((refund) =>
    UNDER_WAY.has(pgText(refund, 'pg_payment_status')),
  )
}

const refundsIn = (fields: Fields): Fields[] => {
  const listed = fields['pg_refund_payments']
  const one = typeof listed === 'object' && !Array.isArray(listed) ? (listed as Fields)['pg_refund_payment'] : undefined
  return (Array.isArray(one) ? one : [one]).filter(
    (refund) => typeof refund === 'object' && refund !== null,
  ) as Fields[]
}

/** Number of failed refunds in the payment's list. They stay in the list and do not count in the refunded sum. */
export const failedRefunds = ({ fields, isSigned }: FreedomPayAnswer): number =>
  isSigned
    ? refundsIn(fields).filter((refund) => ['error', 'failed'].includes(pgText(refund, 'pg_payment_status'))).length
    : 0

const UNDER_WAY: ReadonlySet<string> = new Set(['new', 'pending', 'process', 'waiting'])
