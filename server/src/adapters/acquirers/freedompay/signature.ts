import { createHash } from 'node:crypto'
import { sameText } from '../same-text.ts'

/** A field's value: text, nested fields, or several values of the same name in order of arrival. */
export type PgValue = string | FreedomPayFields | readonly PgValue[]
export interface FreedomPayFields {
  readonly [name: string]: PgValue
}

/**
 * `pg_sig`: MD5 in hex over script;values;secret, with the values of all fields except pg_sig in the order of their
 * names, nested and empty ones included (freedompay.kz/docs-en/merchant-api/intro, read 2026-11-21).
 * @param script the last segment of the URL's path: Freedom Pay's URL for our requests, our own for callbacks
 */
export const signFreedomPay = (script: string, fields: FreedomPayFields, secretKey: string): string =>
  createHash('md5')
    .update([script, ...valuesOf(fields), secretKey].join(';'), 'utf8')
    .digest('hex')

export const isFreedomPaySignature = (script: string, fields: FreedomPayFields, secretKey: string): boolean => {
  const given = fields['pg_sig']
  return typeof given === 'string' && sameText(given, signFreedomPay(script, fields, secretKey))
}

const valuesOf = (fields: FreedomPayFields): string[] =>
  Object.keys(fields)
    .filter((name) => name !== 'pg_sig')
    .sort()
    .flatMap((name) => valuesOfOne(fields[name]!))

const valuesOfOne = (value: PgValue): string[] => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? (value as readonly PgValue[]).flatMap(valuesOfOne) : valuesOf(value as FreedomPayFields)
}

/**
 * Returns the script name of a URL, from the last slash to the end or the question mark: `result` of
 * `https://shop.example/acquirers/kz/result?x=1`.
 */
export const scriptOf = (url: string): string => /([^/?#]*)(?:[?#].*)?$/.exec(url.replace(/[?#].*$/, ''))![1]!
