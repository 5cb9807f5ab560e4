import { parseXml, type XmlElement } from '../../../platform/base/xml.ts'
import type { FreedomPayFields, PgValue } from './signature.ts'

/**
 * Parses the fields of `<response>` or `<request>`. Values stay text, since a signature needs 100.00 and not 100.
 * Throws an Error for any other document.
 */
export const readFreedomPayXml = (text: string): FreedomPayFields => {
  const root = parseXml(text)
  if ((root.name !== 'response' && root.name !== 'request') || root.children.length === 0)
    throw new Error('no response or request')
  return fieldsOf(root)
}

/**
 * Reads nested fields. White space between fields is ignored. A name that occurs several times has a list of values.
 */
const fieldsOf = ({ children }: XmlElement): FreedomPayFields => {
  const values = new Map<string, PgValue[]>()
  for (const child of children) {
    const value = child.children.length > 0 ? fieldsOf(child) : child.text
    const others = values.get(child.name)
    if (others) others.push(value)
    else values.set(child.name, [value])
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]!]))
}

/** Writes the answer to a callback: `<response>` with its fields, including the signature. */
export const writeFreedomPayXml = (fields: Readonly<Record<string, string>>): string => {
  const tags = Object.entries(fields).map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
  return `<?xml version="1.0" encoding="utf-8"?><response>${tags.join('')}</response>`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
