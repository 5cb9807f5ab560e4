import { minorUnitsOf } from '../amount.ts'
import { maskCard, withoutCards } from '../card-mask.ts'
import type { AcquirerState, CardTicker, StatementLine } from '../port.ts'
import { refusalKinds } from '../refusal-kinds.ts'

/**
 * Parses the bank's answers. Each function returns undefined when an answer does not have the documented shape: nothing
 * may be concluded from it.
 */

type Fields = Readonly<Record<string, unknown>>

export const objectOf = (body: Buffer): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `{"error": {"code", "message"}}` */
export const refusalOf = (body: Buffer): { code: string; message: string } | undefined => {
  const error = objectOf(body)?.['error']
  if (!isFields(error) || typeof error['code'] !== 'string' || !/^[a-z0-9_]{1,64}$/i.test(error['code']))
    return undefined
  return { code: error['code'], message: messageOf(error['message']) }
}

const tickerOf = (value: unknown): CardTicker | undefined => (value === 'UAH' || value === 'KZT' ? value : undefined)
const messageOf = (value: unknown): string => (typeof value === 'string' ? withoutCards(value) : '')
const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{32}$/.test(value) ? value : undefined
const cardOf = (value: unknown): string | undefined => (typeof value === 'string' ? maskCard(value) : undefined)

/** Codes of refused cards in the bank's API (sandbox/bank/README.md). */
export const BANK_REFUSALS = refusalKinds({
  declined: ['card_refused'],
  funds: ['insufficient_funds'],
  expired: ['expired_card'],
  confirmation: ['3ds_failed'],
  cancelled: ['3ds_cancelled'],
  late: ['expired'],
})

const OPEN = ['created', 'secure', 'processing']

/** A payment or payout as the bank shows it. @param paid the field with the amount actually paid or sent */
export const stateOf = (order: Fields, paid: 'paidAmount' | 'sentAmount'): AcquirerState | undefined => {
  const { status, code, message, card } = order
  if (typeof status !== 'string') return undefined
  if (OPEN.includes(status)) return { kind: 'waiting', reason: status }
  const acquirerReference = idOf(order['id'])
  const maskedCard = cardOf(card)
  if (status === 'refused' || status === 'expired') {
    if (typeof code !== 'string') return undefined
    return { kind: 'refused', acquirerReference, code: withoutCards(code), message: messageOf(message), maskedCard }
  }
  const [ticker, units] = [tickerOf(order['currency']), minorUnitsOf(order[paid])]
  const feeUnits = minorUnitsOf(order['fee'])
  if (status !== 'succeeded' && status !== 'reversed') return undefined
  if (!ticker || units === undefined || !acquirerReference) return undefined
  const backUnits = paid === 'paidAmount' ? minorUnitsOf(order['refundedAmount']) : undefined
  return {
    kind: status,
    acquirerReference,
    ticker,
    units,
    feeUnits,
    maskedCard,
    ...(backUnits === undefined ? {} : { backUnits }),
  }
}

/** State of a refund that the bank has accepted. */
export const refundStateOf = (refund: Fields): AcquirerState | undefined => {
  if (refund['status'] === 'processing') return { kind: 'waiting', reason: 'processing' }
  const [ticker, units, acquirerReference] = [
    tickerOf(refund['currency']),
    minorUnitsOf(refund['amount']),
    idOf(refund['id']),
  ]
  if (refund['status'] !== 'succeeded' || !ticker || units === undefined || !acquirerReference) return undefined
  return { kind: 'succeeded', acquirerReference, ticker, units, feeUnits: undefined, maskedCard: undefined }
}

const KINDS = ['payment', 'payout', 'refund', 'settlement', 'fee'] as const

export const lineOf = (line: unknown): StatementLine | undefined => {
  if (!isFields(line)) return undefined
  const kind = KINDS.find((one) => one === line['type'])
  const [acquirerReference, ticker, feeUnits, units] = [
    idOf(line['id']),
    tickerOf(line['currency']),
    minorUnitsOf(line['fee']),
    signedUnitsOf(line['amount']),
  ]
  const { at, reference } = line
  if (
    !kind ||
    !acquirerReference ||
    !ticker ||
    units === undefined ||
    feeUnits === undefined ||
    !Number.isSafeInteger(at)
  )
    return undefined
  return {
    reference: typeof reference === 'string' ? reference : undefined,
    acquirerReference,
    kind,
    ticker,
    units,
    feeUnits,
    at: at as number,
  }
}

const signedUnitsOf = (text: unknown): bigint | undefined => {
  if (typeof text !== 'string') return undefined
  const units = minorUnitsOf(text.replace(/^-/, ''))
  return units !== undefined && text.startsWith('-') ? -units : units
}
