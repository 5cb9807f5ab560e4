/** Describes one type of notification. */
import { Type } from 'typebox'
import type { TObject, TObjectOptions, TProperties, TSchema } from 'typebox'
import { milliseconds, printedDecimal } from '../fields.ts'

export interface NotificationType {
  /** Unique; differs from `kind` where two bodies share a kind. */
  readonly name: string
  /** The body's `kind`. */
  readonly kind: string
  readonly summary: string
  readonly description: string
  /** The body for each `status`. A field that a status does not list is absent from its body. */
  readonly statuses: Readonly<Record<string, TObject>>
  /** The body for any status. */
  readonly schema: TSchema
}

/** The body of a notification for one status: exactly the listed fields. */
export const notificationBody = <Properties extends TProperties>(properties: Properties, options: TObjectOptions) =>
  Type.Object(properties, { ...options, additionalProperties: false })

/** Fields of every notification (`contract.md` section 6). */
export const commonFields = {
  id: Type.String({ description: 'Identifier of the object, a UUID: the same in all its notifications' }),
  merchantId: Type.String({ description: 'The merchant notified' }),
  time: milliseconds('Creation of the object'),
}

/** Fields that the merchant set; absent when it did not. */
export const givenFields = {
  meta: Type.Optional(Type.String({ description: 'As given by the merchant' })),
  localId: Type.Optional(Type.String({ description: 'As given by the merchant' })),
}

/** Of invoices; a client that does not know the field ignores it. */
export const linkId = () =>
  Type.Optional(
    Type.String({ description: 'The payment link from which its payer made the invoice; absent otherwise' }),
  )

export const blockHeight = () =>
  Type.Integer({ minimum: 0, description: 'Height of the block; absent when `internal`' })

export const transactionHash = () => Type.String({ description: 'Transaction; absent when `internal`' })

/** The price of an exchange in notifications: one unit of the first ticker costs `price` units of the second. */
export const priceFields = {
  price: printedDecimal('The price of one unit of the first ticker of `pricePair` in the second'),
  pricePair: Type.Array(Type.String(), {
    minItems: 2,
    maxItems: 2,
    description: 'The two tickers, in the order of the price',
  }),
}
