/** The fields of a body with the fields of nested objects, and whether each may be null. */
export interface NullableFields {
  readonly [field: string]: { readonly mayBeNull: boolean; readonly inner: NullableFields }
}

/**
 * Fields that must not be null: without them an order accepts any fee, price, amount or asset, so a null is more likely
 * a mistake of the sender.
 */
const OPENING: readonly string[] = ['fee', 'price', 'amount', 'baseAmount', 'value', 'ticker', 'blockchain']

interface Schema {
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
}

export const nullableOf = (schema: object): NullableFields => {
  const { required = [], properties = {} } = schema as Schema
  return Object.fromEntries(
    Object.entries(properties).map(([field, inner]) => [
      field,
      { mayBeNull: !required.includes(field) && !OPENING.includes(field), inner: nullableOf(inner) },
    ]),
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes null optional fields, because many languages write null for an unset field (`contract.md` 18, row 31). */
export const withoutNulls = (value: unknown, fields: NullableFields): unknown => {
  if (!isObject(value)) return value
  const present = Object.entries(value).flatMap(([field, inner]): [string, unknown][] => {
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (known === undefined) return [[field, inner]]
    return inner === null && known.mayBeNull ? [] : [[field, withoutNulls(inner, known.inner)]]
  })
  return Object.fromEntries(present)
}
