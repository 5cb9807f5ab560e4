import { SaxesParser } from 'saxes'

/** A part of an XML document, in order. Names are without their prefix; a text is decoded. */
export type XmlPiece =
  | { kind: 'open'; name: string; attributes: Readonly<Record<string, string>> }
  | { kind: 'text'; text: string }
  | { kind: 'close'; name: string }

/** An element with all that it holds. `text` is its own, without that of its children. Attributes are not read. */
export interface XmlElement {
  name: string
  text: string
  children: XmlElement[]
}

/** Most characters of one tag, text or comment: what is no XML must not be gathered whole. */
const LONGEST = 1024 * 1024
/** Most elements within each other. The deepest document that is read here has about a dozen. */
const DEEPEST = 64

/**
 * Reads XML in pieces, in a memory that does not grow with the document.
 * @throws Error with line and column for what XML 1.0 does not allow (an entity that XML does not define, a doubled
 * attribute, two roots), for a document type, and for a document that ends before its root does
 */
export async function* readXml(chunks: AsyncIterable<string>): AsyncGenerator<XmlPiece> {
  const parser = createParser()
  for await (const chunk of chunks) yield* parser.write(chunk)
  yield* parser.end()
}

/**
 * The root of a document that is read whole; the caller limits its length.
 * @throws Error as readXml does
 */
export const parseXml = (text: string): XmlElement => {
  const parser = createParser()
  const document: XmlElement = { name: '', text: '', children: [] }
  const open = [document]
  for (const piece of [...parser.write(text), ...parser.end()]) {
    const last = open.at(-1)!
    if (piece.kind === 'text') last.text += piece.text
    else if (piece.kind === 'close') open.pop()
    else {
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
