import { SaxesParser } from 'saxes'

/** A piece of an XML document. Names have no prefix; texts are decoded. */
export type XmlPiece =
  | { kind: 'open'; name: string; attributes: Readonly<Record<string, string>> }
  | { kind: 'text'; text: string }
  | { kind: 'close'; name: string }

/** An element with its children. `text` is its own text, without that of children. Attributes are omitted. */
export interface XmlElement {
  name: string
  text: string
  children: XmlElement[]
}

/** Maximum length of one tag, text or comment, so that input that is not XML is not buffered completely. */
const LONGEST = 1024 * 1024
/** Maximum number of elements of a document that is read whole. Those in use have a few hundred. */
const MOST_ELEMENTS = 10_000
/** Maximum depth of elements. The deepest document in use has about a dozen levels. */
const DEEPEST = 64

/**
 * Parses XML piece by piece, in constant memory.
 * @throws Error with line and column for anything that XML 1.0 does not allow (such as an undefined entity, a repeated
 *   attribute or two roots), for a document type, and for a document that ends before its root does
 */
export async function* readXml(chunks: AsyncIterable<string>): AsyncGenerator<XmlPiece> {
  const parser = createParser()
  for await (const chunk of chunks) yield* parser.write(chunk)
  yield* parser.end()
}

/**
 * Parses a whole document and returns its root. The caller must limit its length.
 * @throws Error as readXml does, and for a document of more than 10,000 elements
 */
export const parseXml = (text: string): XmlElement => {
  const parser = createParser()
  const document: XmlElement = { name: '', text: '', children: [] }
  const open = [document]
  let elements = 0
  for (const piece of [...parser.write(text), ...parser.end()]) {
    const last = open.at(-1)!
    if (piece.kind === 'text') last.text += piece.text
    else if (piece.kind === 'close') open.pop()
    else {
      elements += 1
      if (elements > MOST_ELEMENTS) throw new Error(`the document has more than ${MOST_ELEMENTS} elements`)
      const element = { name: piece.name, text: '', children: [] }
      last.children.push(element)
      open.push(element)
    }
  }
  return document.children[0]!
}

const createParser = () => {
  // Without an error handler the parser throws at the first error.
  const parser = new SaxesParser()
  let pieces: XmlPiece[] = []
  let [depth, received, pieceEnd] = [0, 0, 0]
  const add = (piece?: XmlPiece): void => {
    if (piece) pieces.push(piece)
    pieceEnd = parser.position
  }
  parser.on('doctype', () => parser.fail('the document declares a type, which is not read'))
  parser.on('text', (text) => add(depth > 0 ? { kind: 'text', text } : undefined))
  parser.on('cdata', (text) => add({ kind: 'text', text }))
  parser.on('comment', () => add())
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > DEEPEST) parser.fail(`more than ${DEEPEST} elements stand within each other`)
    add({ kind: 'open', name: plain(name), attributes: plainNames(attributes) })
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    add({ kind: 'close', name: plain(name) })
  })
  const taken = (): XmlPiece[] => {
    const read = pieces
    pieces = []
    return read
  }
  return {
    write: (chunk: string): XmlPiece[] => {
      parser.write(chunk)
      received += chunk.length
      if (received - pieceEnd > LONGEST) throw new Error('no tag ends for a million characters: this is no XML')
      return taken()
    },
    end: (): XmlPiece[] => {
      try {
        parser.close()
      } catch (error) {
        throw new Error(`the document ends before it is complete: fetch it again (${(error as Error).message})`, {
          cause: error,
        })
      }
      return taken()
    },
  }
}

const plain = (name: string): string => name.slice(name.indexOf(':') + 1)

const plainNames = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [plain(name), value]))
