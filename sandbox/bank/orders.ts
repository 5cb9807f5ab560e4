/** Reads the bodies of orders. An invalid field is refused by name, with HTTP 422. */
import { BankRefusal } from './context.ts'
import type { PaymentOrder } from './payments.ts'
import type { PayoutOrder } from './payouts.ts'
import type { Language } from './rows.ts'
import { currencies, unitsOfAmount } from './terms.ts'
import type { Currency } from './terms.ts'

type Body = Readonly<Record<string, unknown>>

const languages: readonly Language[] = ['uk', 'kk', 'ru', 'en']

export function readPaymentOrder(rawBody: string): Omit<PaymentOrder, 'account'> {
  const body = objectOf(rawBody)
  const email = body['email']
  return {
    ...readOrder(body),
    returnUrl: urlOf(body, 'returnUrl'),
    ...(email === undefined ? {} : { email: textOf(body, 'email', 254) }),
    language: oneOf(body, 'language', languages),
    expiresAt: timeOf(body, 'expiresAt'),
  }
}

export function readPayoutOrder(rawBody: string): Omit<PayoutOrder, 'account'> {
  const body = objectOf(rawBody)
  return { ...readOrder(body), card: textOf(body, 'card', 19) }
}

export function readRefundOrder(rawBody: string): { reference: string; units: bigint } {
  const body = objectOf(rawBody)
  return { reference: referenceOf(body), units: amountOf(body) }
}

interface AnyOrder {
  readonly reference: string
  readonly currency: Currency
  readonly units: bigint
  readonly description: string
  readonly callbackUrl: string
}

function readOrder(body: Body): AnyOrder {
  return {
    reference: referenceOf(body),
    currency: oneOf(body, 'currency', currencies),
    units: amountOf(body),
    description: textOf(body, 'description', 255),
    callbackUrl: urlOf(body, 'callbackUrl'),
  }
}

function objectOf(rawBody: string): Body {
  try {
    const body: unknown = JSON.parse(rawBody)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body
  } catch {}
  throw new BankRefusal(422, 'body', 'send a JSON object')
}

function textOf(body: Body, name: string, most: number): string {
  const value = body[name]
  if (typeof value === 'string' && value.length > 0 && value.length <= most) return value
  throw new BankRefusal(422, name, `${name}: send 1 to ${most} characters`)
}

function referenceOf(body: Body): string {
  const value = textOf(body, 'reference', 64)
  if (/^[\w-]+$/.test(value)) return value
  throw new BankRefusal(422, 'reference', 'reference: letters, digits, dashes')
}

function urlOf(body: Body, name: string): string {
  const value = textOf(body, name, 2_048)
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  throw new BankRefusal(422, name, `${name}: send an http or https URL`)
}

function oneOf<const Choice extends string>(body: Body, name: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === body[name])
  if (found !== undefined) return found
  throw new BankRefusal(422, name, `${name}: send one of ${choices.join(', ')}`)
}

function amountOf(body: Body): bigint {
  const units = unitsOfAmount(body['amount'])
  if (units !== undefined && units > 0n) return units
  throw new BankRefusal(422, 'amount', 'amount: send a decimal with two digits behind the dot, above zero')
}

function timeOf(body: Body, name: string): number {
  const value = body[name]
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw new BankRefusal(422, name, `${name}: send ms since 1970`)
}
