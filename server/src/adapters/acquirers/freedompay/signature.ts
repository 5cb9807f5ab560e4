import { createHash } from 'node:crypto'
import { sameText } from '../same-text.ts'

/** Fields of a message: text, fields within a field, or several of one name in the order they came. */
export type PgValue = string | PgFields | readonly PgValue[]
export interface PgFields {
  readonly [name: string]: PgValue
}

/**
 * `pg_sig`: MD5 in hex over script;values;secret, the values of all fields but pg_sig in the order of their names,
 * those within a field likewise, empty ones too (freedompay.kz/docs-en/merchant-api/intro, read 2026-11-21).
 * @param script the last segment of the URL's path: Freedom Pay's when we ask, our own when it calls back
 */
export const signFreedomPay = (script: string, fields: PgFields, secretKey: string): string =>
  createHash('md5')
    .update([script, ...valuesOf(fields), secretKey].join(';'), 'utf8')
    .digest('hex')

export const isFreedomPaySignature = (script: string, fields: PgFields, secretKey: string): boolean => {
  const given = fields['pg_sig']
  return typeof given === 'string' && sameText(given, signFreedomPay(script, fields, secretKey))
}

const valuesOf = (fields: PgFields): string[] =>
  Object.keys(fields)
    .filter((name) => name !== 'pg_sig')
    .sort()
    .flatMap((name) => valuesOfOne(fields[name]!))

const valuesOfOne = (value: PgValue): string[] => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? (value as readonly PgValue[]).flatMap(valuesOfOne) : valuesOf(value as PgFields)
}

/** `result` of `https://shop.example/acquirers/kz/result?x=1`: from the last slash to the end or the question mark. */
export const scriptOf = (url: string): string => /([^/?#]*)(?:[?#].*)?$/.exec(url.replace(/[?#].*$/, ''))![1]!
