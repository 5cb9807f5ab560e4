/** MD5 over script;values;secret: all fields but pg_sig in the order of their names, those within a field likewise. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** A list is several fields of one name, in their order. */
export type Value = string | { readonly [name: string]: Value } | readonly Value[]
export type Fields = { readonly [name: string]: Value }

export function sign(script: string, fields: Fields, secretKey: string): string {
  return createHash('md5')
    .update([script, ...flat(fields), secretKey].join(';'))
    .digest('hex')
}

export function isSigned(script: string, fields: Fields, secretKey: string): boolean {
  const [a, b] = [
    Buffer.from(typeof fields['pg_sig'] === 'string' ? fields['pg_sig'] : ''),
    Buffer.from(sign(script, fields, secretKey)),
  ]
  return a.length === b.length && timingSafeEqual(a, b)
}

function flat(fields: Fields): string[] {
  const sorted = Object.entries(fields)
    .filter(([name]) => name !== 'pg_sig')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.flatMap(([, value]) => flatValue(value))
}

function flatValue(value: Value): string[] {
  if (typeof value === 'string') return [value]
  return isList(value) ? value.flatMap(flatValue) : flat(value)
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** From the last slash to the end or the question mark. */
export function scriptOf(url: string): string {
  const path = url.split('?')[0] ?? ''
  return path.slice(path.lastIndexOf('/') + 1)
}
