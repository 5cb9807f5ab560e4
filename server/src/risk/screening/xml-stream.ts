/**
 * What an XML document holds, in order. Names are without their prefix; text is what stands between two tags, decoded.
 */
export type XmlPiece =
  | { kind: 'open'; name: string; attributes: Readonly<Record<string, string>> }
  | { kind: 'text'; text: string }
  | { kind: 'close'; name: string }

/** Longest tag or text, characters: a file that isn't XML must not be gathered whole. */
const LONGEST = 1024 * 1024
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/**
 * Reads XML piece by piece in a memory that doesn't grow with the file. Knows no declarations of document types, which
 * could make entities. Throws an Error for what is not well formed, also when the document ends before its root does.
 */
export async function* readXml(chunks: AsyncIterable<string>): AsyncGenerator<XmlPiece> {
  const open: string[] = []
  let rooted = false
  for await (const token of tokensOf(chunks)) {
    if (!token.startsWith('<')) {
      if (open.length > 0) yield { kind: 'text', text: decode(token) }
      else if (token.trim() !== '') throw new Error('there is text outside the root of the document')
      continue
    }
    if (token.startsWith('<?') || token.startsWith('<!--')) continue
    if (token.startsWith('<![CDATA[')) {
      yield { kind: 'text', text: token.slice(9, -3) }
      continue
    }
    if (token.startsWith('<!')) throw new Error('the document declares a type, which is not read')
    if (token.startsWith('</')) {
      const name = plain(token.slice(2, -1).trim())
      if (open.pop() !== name) throw new Error(`</${name}> closes what is not open`)
      yield { kind: 'close', name }
      continue
    }
    if (open.length === 0 && rooted) throw new Error('the document has two roots')
    rooted = true
    const { name, attributes, empty } = tagOf(token)
    yield { kind: 'open', name, attributes }
    if (empty) yield { kind: 'close', name }
    else open.push(name)
  }
  if (!rooted || open.length > 0) throw new Error('the document ends before it is complete: fetch it again')
}

/** Cuts the text at tags: each token is a whole tag, comment or CDATA, or what stands between two of them. */
async function* tokensOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    rest += chunk
    let from = 0
    for (let end = endOfToken(rest, from); end !== -1; end = endOfToken(rest, from)) {
      yield rest.slice(from, end)
      from = end
    }
    rest = rest.slice(from)
    if (rest.length > LONGEST) throw new Error('no tag ends for a million characters: this is no XML')
  }
  if (rest.startsWith('<')) throw new Error('the document ends inside a tag: fetch it again')
  if (rest !== '') yield rest
}

/** Where the token that starts at `from` ends, or -1 while that is not known. */
const endOfToken = (text: string, from: number): number => {
  if (from >= text.length) return -1
  if (text[from] !== '<') return text.indexOf('<', from)
  const close = (start: string, end: string): number | undefined => {
    if (!text.startsWith(start, from)) return undefined
    const at = text.indexOf(end, from + start.length)
    return at === -1 ? -1 : at + end.length
  }
  // Too little to tell a comment from a CDATA section from a tag.
  if (text.length - from < 9 && text.startsWith('<!', from)) return -1
  return close('<!--', '-->') ?? close('<![CDATA[', ']]>') ?? close('<?', '?>') ?? endOfTag(text, from)
}

/** A `>` inside quotes ends nothing. */
const endOfTag = (text: string, from: number): number => {
  let quote = ''
  for (let i = from + 1; i < text.length; i += 1) {
    const c = text[i]!
    if (quote !== '') {
      if (c === quote) quote = ''
    } else if (c === '"' || c === "'") quote = c
    else if (c === '>') return i + 1
  }
  return -1
}

const ATTRIBUTE = /([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

const tagOf = (token: string): { name: string; attributes: Record<string, string>; empty: boolean } => {
  const empty = token.endsWith('/>')
  const inner = token.slice(1, empty ? -2 : -1)
  const name = /^[^\s/]+/.exec(inner)?.[0]
  if (name === undefined) throw new Error('there is a tag without a name')
  const attributes = Object.fromEntries(
    [...inner.slice(name.length).matchAll(ATTRIBUTE)].map(([, key, double, single]) => [
      plain(key!),
      decode(double ?? single!),
    ]),
  )
  return { name: plain(name), attributes, empty }
}

const plain = (name: string): string => name.slice(name.indexOf(':') + 1)

const decode = (text: string): string =>
  text.replaceAll(/&(#x?)?([^;&]{1,32});/g, (whole, number: string | undefined, body: string) => {
    if (number === undefined) return ENTITIES[body] ?? whole
    const code = Number.parseInt(body, number === '#' ? 10 : 16)
    return Number.isInteger(code) && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
