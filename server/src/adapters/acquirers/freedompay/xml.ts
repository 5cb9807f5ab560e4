import { parseXml, type XmlElement } from '../../../platform/base/xml.ts'
import type { PgFields, PgValue } from './signature.ts'

/**
 * The fields of `<response>` or `<request>`. Every value is the text as it stands, since a signature needs 100.00 and
 * not 100. Throws an Error when the text is no such document.
 */
export const readPgXml = (text: string): PgFields => {
  const root = parseXml(text)
  if ((root.name !== 'response' && root.name !== 'request') || root.children.length === 0)
    throw new Error('no response or request')
  return fieldsOf(root)
}

/** Text beside fields is white space and no field. A name that comes several times has a list of values. */
const fieldsOf = ({ children }: XmlElement): PgFields => {
  const values = new Map<string, PgValue[]>()
  for (const child of children) {
    const value = child.children.length > 0 ? fieldsOf(child) : child.text
    values.set(child.name, [...(values.get(child.name) ?? []), value])
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]!]))
}

/** What is answered to a callback: `<response>` with its fields, the signature among them. */
export const writePgXml = (fields: Readonly<Record<string, string>>): string => {
  const tags = Object.entries(fields).map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
  return `<?xml version="1.0" encoding="utf-8"?><response>${tags.join('')}</response>`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
