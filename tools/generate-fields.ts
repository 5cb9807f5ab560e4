/** The index of the fields of the API: their operations and notifications, and where docs/contract.md names them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@bursar/contract/openapi'

/** Fields of more operations than this are said to be in many. */
const MOST_NAMED = 4

/** Returns the document as text. @param root of the repository */
export const fieldsDocument = (root: string): string => {
  const sections = sectionsOf(readFileSync(join(root, 'docs', 'contract.md'), 'utf8'))
  const rows = [...placesOfFields()]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, places]) => rowOf(name, places, sections))
  return `# Fields of the API

Written by \`npm run generate\`: each field of a request, an answer or a notification, with its operations, and with the sections of [contract.md](contract.md) that name it.
[openapi.json](../contract/openapi.json) has the type of each field in each operation. In contract.md, sections 18 and 19 win over the sections before them.

| field | operations and notifications | sections |
|---|---|---|
${rows.join('\n')}
`
}

/** The operations and notifications of each field, in the order of the contract. */
const placesOfFields = (): Map<string, Set<string>> => {
  const document = openApiDocument() as unknown as Record<'paths' | 'webhooks', Record<string, Record<string, unknown>>>
  const found = new Map<string, Set<string>>()
  const collect = (value: unknown, place: string, from: ReadonlySet<string> = new Set()): void => {
    if (value === null || typeof value !== 'object') return
    const { properties, $ref, ...others } = value as { properties?: Record<string, unknown>; $ref?: string }
    if ($ref !== undefined && !from.has($ref)) collect(referredTo(document, $ref), place, new Set([...from, $ref]))
    for (const [name, schema] of Object.entries(properties ?? {})) {
      const places = found.get(name) ?? new Set()
      found.set(name, places.add(place))
      collect(schema, place, from)
    }
    for (const other of Object.values(others)) collect(other, place, from)
  }
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) collect(operation, `${method.toUpperCase()} ${path}`)
  for (const [name, operations] of Object.entries(document.webhooks ?? {})) collect(operations, `webhook ${name}`)
  return found
}

/** @param reference such as `#/components/schemas/Error` */
const referredTo = (document: object, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document)

interface Section {
  number: string
  anchor: string
  text: string
}

const sectionsOf = (page: string): Section[] =>
  page.split(/^(?=##+ \d)/m).flatMap((text) => {
    const [heading = ''] = text.split('\n', 1)
    const [, title = '', number = ''] = /^##+ ((\d+(?:\.\d+)?)\.? .*)$/.exec(heading) ?? []
    return number === '' ? [] : [{ number, anchor: anchorOf(title), text }]
  })

/** The anchor that a renderer of Markdown gives to a heading. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const rowOf = (name: string, places: ReadonlySet<string>, sections: readonly Section[]): string => {
  const word = new RegExp(`(?<![\\w.-])${name}(?![\\w-])`)
  const links = sections
    .filter(({ text }) => word.test(text))
    .map(({ number, anchor }) => `[${number}](contract.md#${anchor})`)
  const where =
    places.size > MOST_NAMED ? `${places.size} operations` : [...places].map((one) => `\`${one}\``).join(', ')
  return `| \`${name}\` | ${where} | ${links.join(', ')} |`
}
