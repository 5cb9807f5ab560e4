import { XMLParser } from 'fast-xml-parser'
import type { PgFields, PgValue } from './signature.ts'

/**
 * Nothing is turned into numbers, since a signature needs 100.00 as it stands; entities are not processed by the
 * library, so that a document can define none, and the five that XML has are replaced afterwards.
 */
const parser = new XMLParser({
  parseTagValue: false,
  processEntities: false,
  ignoreAttributes: true,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
})

/** The fields of `<response>` or `<request>`. Throws an Error when the text is no such document. */
export const readPgXml = (text: string): PgFields => {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error('a document type is not expected')
  const document = parser.parse(text, true) as Record<string, unknown>
  const fields = document['response'] ?? document['request']
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new Error('no response or request')
  return fieldsOf(fields as Record<string, unknown>)
}

/** White space between tags comes as a text of its own and is no field. */
const fieldsOf = (read: Record<string, unknown>): PgFields =>
  Object.fromEntries(
    Object.entries(read)
      .filter(([name]) => name !== '#text')
      .map(([name, value]) => [name, valueOf(value)]),
  )

const valueOf = (value: unknown): PgValue => {
  if (typeof value === 'string') return withoutEntities(value)
  if (Array.isArray(value)) return value.map(valueOf)
  if (typeof value === 'object' && value !== null) return fieldsOf(value as Record<string, unknown>)
  throw new Error('an unexpected value')
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const withoutEntities = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi,
    (found, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()]!
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : found
    },
  )

/** What is answered to a callback: `<response>` with its fields, the signature among them. */
export const writePgXml = (fields: Readonly<Record<string, string>>): string => {
  const tags = Object.entries(fields).map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
  return `<?xml version="1.0" encoding="utf-8"?><response>${tags.join('')}</response>`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
