/** The text has a construct of YAML that `readPlainYaml` does not read. */
export class NotPlain extends Error {
  override name = 'NotPlain'
}

export type PlainValue = string | number | boolean | null | PlainValue[] | { [name: string]: PlainValue }

/** A mapping as it is, and an empty one for anything else. */
export const mappingOf = (value: PlainValue | undefined): Readonly<Record<string, PlainValue>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/** A text as it is, and an empty one for anything else. */
export const textOf = (value: PlainValue | undefined): string => (typeof value === 'string' ? value : '')

interface Line {
  number: number
  indent: number
  text: string
}

/**
 * Reads the part of YAML in which configurations of Patroni are written: mappings and lists in lines, and values of one
 * line, plain or quoted. A JSON text is read as JSON.
 * @throws NotPlain for anything else, such as `{a: b}`, anchors and texts of several lines, with the number of the line
 */
export const readPlainYaml = (text: string): PlainValue => {
  if (/^\s*[[{]/.test(text)) return readJson(text)
  const lines = text
    .split(/\r?\n/)
    .map((line, at) => ({ number: at + 1, indent: /^ */.exec(line)![0].length, text: withoutComment(line).trim() }))
    .filter(({ text: rest }) => rest !== '' && rest !== '---')
  const { value, next } = readBlock(lines, 0)
  if (next < lines.length) throw wrong(lines[next]!, 'the indentation is wrong')
  return value
}

const readJson = (text: string): PlainValue => {
  try {
    return JSON.parse(text) as PlainValue
  } catch (error) {
    throw new NotPlain((error as Error).message)
  }
}

const wrong = ({ number }: Line, why: string): NotPlain => new NotPlain(`line ${number}: ${why}`)

/** A number sign begins a comment at the start of a line and after a space, but not inside quotes. */
const withoutComment = (line: string): string =>
  /^((?:'[^']*'|"(?:[^"\\]|\\.)*"|(?<=\S)#|[^'"#]|(?<=\S)['"])*)/.exec(line)![0]

const KEY = /^(?:'([^']*)'|"([^"\\]*)"|([^\s'"[\]{}&*!|>%@`,:#-][^:]*?|-[^\s:][^:]*?))\s*:(?:\s+(.*))?$/

const readBlock = (lines: readonly Line[], start: number): { value: PlainValue; next: number } => {
  const first = lines[start]
  if (first === undefined) return { value: null, next: start }
  return /^-(\s|$)/.test(first.text) ? readList(lines, start) : readMapping(lines, start)
}

const readMapping = (lines: readonly Line[], start: number): { value: PlainValue; next: number } => {
  const { indent } = lines[start]!
  const value: Record<string, PlainValue> = Object.create(null) as Record<string, PlainValue>
  let at = start
  while (at < lines.length && lines[at]!.indent === indent) {
    const line = lines[at]!
    const key = KEY.exec(line.text)
    if (key === null) throw wrong(line, 'write NAME: VALUE')
    const name = key[1] ?? key[2] ?? key[3]!
    if (name in value) throw wrong(line, `${name} is there twice`)
    const below = lines[at + 1]
    const isNested =
      (key[4] ?? '') === '' &&
      below !== undefined &&
      (below.indent > indent || (below.indent === indent && /^-(\s|$)/.test(below.text)))
    const read = isNested ? readBlock(lines, at + 1) : { value: scalarOf(key[4] ?? '', line), next: at + 1 }
    value[name] = read.value
    at = read.next
    if (at < lines.length && lines[at]!.indent > indent) throw wrong(lines[at]!, 'the indentation is wrong')
  }
  return { value, next: at }
}

const readList = (lines: readonly Line[], start: number): { value: PlainValue; next: number } => {
  const { indent } = lines[start]!
  const value: PlainValue[] = []
  let at = start
  while (at < lines.length && lines[at]!.indent === indent && /^-(\s|$)/.test(lines[at]!.text)) {
    const line = lines[at]!
    const rest = line.text.slice(1)
    const inner = { ...line, indent: indent + 1 + /^ */.exec(rest)![0].length, text: rest.trim() }
    // An item with a name is a mapping, whose other lines have the indentation of the name.
    if (KEY.test(inner.text)) {
      const block = readMapping([inner, ...lines.slice(at + 1)], 0)
      value.push(block.value)
      at += block.next
    } else {
      value.push(scalarOf(inner.text, line))
      at += 1
    }
  }
  return { value, next: at }
}

const WORDS: Readonly<Record<string, boolean | null>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
  null: null,
  '~': null,
  '': null,
}

const scalarOf = (text: string, line: Line): PlainValue => {
  const single = /^'((?:[^']|'')*)'$/.exec(text)
  if (single) return single[1]!.replaceAll("''", "'")
  const double = /^"([^"\\]*)"$/.exec(text)
  if (double) return double[1]!
  if (/^[[{&*!|>%@`'"]/.test(text)) throw wrong(line, 'this form of YAML is not read: write one value on each line')
  const word = text.toLowerCase()
  if (Object.hasOwn(WORDS, word)) return WORDS[word]!
  return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text
}
