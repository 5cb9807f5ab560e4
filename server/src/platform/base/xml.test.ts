import { describe, expect, test } from 'vitest'
import { parseXml, readXml, type XmlPiece } from './xml.ts'

async function* cut(text: string, size = 1024): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
/** The pieces of a document, texts that stand beside each other joined. */
const pieces = async (chunks: AsyncIterable<string>): Promise<XmlPiece[]> => {
  const all: XmlPiece[] = []
  for await (const piece of readXml(chunks)) {
    const last = all.at(-1)
    if (piece.kind === 'text' && last?.kind === 'text') last.text += piece.text
    else all.push({ ...piece })
  }
  return all
}

const NO_XML: [what: string, text: string, why: string][] = [
  ['without a root', ' ', 'root element'],
  ['with text outside its root', 'a,b,c', 'outside of root'],
  ['with two roots', '<a/><b/>', 'only one root'],
  ['wrongly nested', '<a><b></a></b>', 'unexpected close tag'],
  ['that ends between tags', '<a><b/>', 'before it is complete'],
  ['that ends inside a tag', '<a></a', 'before it is complete'],
  ['with a document type', '<!DOCTYPE a><a/>', 'declares a type'],
  ['that defines an entity', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'declares a type'],
  ['with an entity of HTML', '<a>\n&nbsp;</a>', '2:6: undefined entity'],
  ["with an entity of an object's name", '<a>&constructor;</a>', 'undefined entity'],
  ['with a character beyond Unicode', '<a>&#1114112;</a>', 'malformed character entity'],
  ['with a doubled attribute', '<a b="1" b="2"/>', 'duplicate attribute'],
  ['with an attribute without quotes', '<a b=1/>', 'unquoted attribute'],
  ['with 65 elements within each other', `${'<a>'.repeat(65)}${'</a>'.repeat(65)}`, 'within each other'],
]

describe('XML', () => {
  test('comments, CDATA, entities, prefixes, empty tags and > in quotes are parsed correctly wherever the text is cut', async () => {
    const text =
      '<?xml version="1.0"?><n:a b=\'1 > 0\' n:c="&#x41;&amp;"><!-- <x> --><d/>t&lt;<![CDATA[<&amp;>]]>&#128512;</n:a>\n'
    const wanted = [
      { kind: 'open', name: 'a', attributes: { b: '1 > 0', c: 'A&' } },
      { kind: 'open', name: 'd', attributes: {} },
      { kind: 'close', name: 'd' },
      { kind: 'text', text: 't<<&amp;>😀' },
      { kind: 'close', name: 'a' },
    ]
    for (let size = 1; size < text.length; size += 1) expect(await pieces(cut(text, size))).toEqual(wanted)
  })

  test.each(NO_XML)('%s is refused, whole and in pieces', async (_what, text, why) => {
    expect(() => parseXml(text)).toThrow(why)
    await expect(pieces(cut(text, 3))).rejects.toThrow(why)
  })

  test('64 elements within each other are read', () => {
    expect(parseXml(`${'<a>'.repeat(64)}${'</a>'.repeat(64)}`).name).toBe('a')
  })

  test.each(['<a>', '<a b="', '<!-- ', '<![CDATA[', '<!DOCTYPE ', '<?a '])(
    'a text that never ends after %s is refused after a million characters',
    async (start) => {
      let taken = 0
      async function* endless(): AsyncGenerator<string> {
        yield start === '<![CDATA[' ? `<a>${start}` : start
        for (;;) {
          taken += 65_536
          yield 'x'.repeat(65_536)
        }
      }
      await expect(pieces(endless())).rejects.toThrow(/a million characters/)
      expect(taken).toBeLessThan(1_200_000)
    },
  )

  test('a whole document is a tree of elements with their own text', () => {
    expect(parseXml('<x:a c="1">1<b>2</b>3<b/></x:a>')).toEqual({
      name: 'a',
      text: '13',
      children: [
        { name: 'b', text: '2', children: [] },
        { name: 'b', text: '', children: [] },
      ],
    })
  })
})
