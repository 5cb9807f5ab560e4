import type { CardRefusal } from '@bursar/checkout'

/**
 * Kinds of refusals of a card that a payment page states in the payer's language. An acquirer's own codes are mapped
 * to them, as its documents describe the codes; a code that is not mapped counts as `declined`.
 * - declined: the bank of the card refused, without a reason that we know
 * - funds: too little money; expired: the card has expired; blocked: its bank has blocked it
 * - details: wrong number, date or security code; unsupported: the card can't make this payment
 * - limit: a limit of the card for amounts or numbers of payments
 * - confirmation: 3-D Secure or a one-time code failed; cancelled: by the payer; late: not confirmed in time
 * - security: a check against fraud
 */
export type RefusalKind = Exclude<CardRefusal, 'unavailable'>

/** The kinds of an acquirer's codes. */
export type RefusalKinds = ReadonlyMap<string, RefusalKind>

export const refusalKinds = (codes: Readonly<Partial<Record<RefusalKind, readonly string[]>>>): RefusalKinds =>
  new Map(
    Object.entries(codes).flatMap(([kind, of]) => of.map((code): [string, RefusalKind] => [code, kind as RefusalKind])),
  )
