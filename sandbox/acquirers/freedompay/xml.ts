/** Freedom Pay's XML: fields within `<response>`, some of which have fields of their own. */
import { isList } from './signature.ts'
import type { Fields, Value } from './signature.ts'

export function writeXml(fields: Fields): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<response>\n${inside(fields, 1)}</response>\n`
}

function inside(fields: Fields, depth: number): string {
  const indent = '    '.repeat(depth)
  const tags = Object.entries(fields).flatMap(([name, value]) =>
    (isList(value) ? value : [value]).map((one) => tag(name, one, depth)),
  )
  return tags.map((one) => `${indent}${one}\n`).join('')
}

function tag(name: string, value: Value, depth: number): string {
  if (typeof value === 'string') return value === '' ? `<${name}/>` : `<${name}>${escape(value)}</${name}>`
  return `<${name}>\n${inside(isList(value) ? {} : value, depth + 1)}${'    '.repeat(depth)}</${name}>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Returns the fields of a response to a callback, which has no nested fields. */
export function readXml(text: string): Record<string, string> {
  const body = /<response>([\s\S]*)<\/response>/.exec(text)?.[1] ?? ''
  const fields = [...body.matchAll(/<(\w+)>([^<]*)<\/\1>|<(\w+)\/>/g)]
  return Object.fromEntries(fields.map(([, name, value, empty]) => [name ?? empty ?? '', unescape(value ?? '')]))
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
