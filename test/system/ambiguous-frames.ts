/**
 * Requests whose end two parsers may find at different places (RFC 9112, 11.2): a signed request, `outer`, with a
 * second one, `hidden`, that a parser may take for its body or for the next request.
 */

export const INVOICES = '/merchants/invoices/crypto'

const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
export const framed = (lines: string[], frame: string[], rest: string, end = '\r\n'): string =>
  `${[...lines, ...frame].join(end)}${end}${end}${rest}`

const [CL, TE] = [(n: number) => `content-length: ${n}`, 'transfer-encoding: chunked']
/** Makes the bytes of both. The lines of `outer` are without those that frame its body. */
type Frame = (outer: { lines: string[]; body: string }, hidden: string) => string
export const FRAMES: readonly [name: string, frame: Frame][] = [
  [
    'CL.TE',
    ({ lines, body }, hidden) => framed(lines, [CL((chunked(body) + hidden).length), TE], chunked(body) + hidden),
  ],
  ['TE.CL', ({ lines, body }, hidden) => framed(lines, [TE, CL(body.length)], chunked(body + hidden))],
  [
    'a hidden request after the end of a body',
    ({ lines, body }, hidden) => framed(lines, [CL(body.length)], body + hidden),
  ],
  [
    'two lengths, the first is right',
    ({ lines, body }, hidden) => framed(lines, [CL(body.length), CL((body + hidden).length)], body + hidden),
  ],
  [
    'two lengths, the last is right',
    ({ lines, body }, hidden) => framed(lines, [CL((body + hidden).length), CL(body.length)], body + hidden),
  ],
  [
    'two lengths in one line',
    ({ lines, body }, hidden) => framed(lines, [`${CL(body.length)}, ${(body + hidden).length}`], body + hidden),
  ],
  [
    'a length with a sign',
    ({ lines, body }, hidden) => framed(lines, [`content-length: +${body.length}`], body + hidden),
  ],
  [
    'a length of zero before the right one',
    ({ lines, body }, hidden) => framed(lines, [CL(0), CL(body.length)], body + hidden),
  ],
  [
    'a space before the colon',
    ({ lines, body }, hidden) =>
      framed(lines, [CL((chunked(body) + hidden).length), 'transfer-encoding : chunked'], chunked(body) + hidden),
  ],
  [
    'an encoding that ends in another',
    ({ lines, body }, hidden) =>
      framed(lines, ['transfer-encoding: chunked, identity', CL(body.length)], body + hidden),
  ],
  [
    'an encoding of another name',
    ({ lines, body }, hidden) => framed(lines, ['transfer-encoding: xchunked', CL(body.length)], body + hidden),
  ],
  [
    'an encoding on a folded line',
    ({ lines, body }, hidden) =>
      framed(lines, [CL((chunked(body) + hidden).length), 'transfer-encoding:', ' chunked'], chunked(body) + hidden),
  ],
  [
    'an encoding behind a tab and a vertical tab',
    ({ lines, body }, hidden) =>
      framed(lines, [CL((chunked(body) + hidden).length), 'transfer-encoding:\t\u000bchunked'], chunked(body) + hidden),
  ],
  ['an encoding twice', ({ lines, body }, hidden) => framed(lines, [TE, TE, CL(4)], chunked(body) + hidden)],
  [
    'an encoding behind a bare LF',
    ({ lines, body }, hidden) =>
      framed(lines, [`x: y\n${TE}`, CL((chunked(body) + hidden).length)], chunked(body) + hidden),
  ],
  [
    'an encoding behind a bare CR',
    ({ lines, body }, hidden) =>
      framed(lines, [`x: y\r${TE}`, CL((chunked(body) + hidden).length)], chunked(body) + hidden),
  ],
  ['lines that end with a bare LF', ({ lines, body }, hidden) => framed(lines, [CL(body.length)], body + hidden, '\n')],
  [
    'a chunk whose size has an extension with an LF',
    ({ lines, body }, hidden) => framed(lines, [TE], `${body.length.toString(16)};a\n${body}\r\n0\r\n\r\n${hidden}`),
  ],
  [
    'a chunk with a size of 65 bits',
    ({ lines, body }, hidden) =>
      framed(lines, [TE], `1000000000000000${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${hidden}`),
  ],
  [
    'a trailer that looks like a request',
    ({ lines, body }, hidden) => framed(lines, [TE], `${body.length.toString(16)}\r\n${body}\r\n0\r\n${hidden}`),
  ],
  [
    'HTTP/1.0 with an encoding',
    ({ lines: [, ...lines], body }, hidden) =>
      framed([`POST ${INVOICES} HTTP/1.0`, ...lines], [TE, 'connection: keep-alive'], chunked(body) + hidden),
  ],
  ['a null byte in a header', ({ lines, body }, hidden) => framed(lines, ['x: \0', CL(body.length)], body + hidden)],
  [
    'the host of the other cell in an absolute URI',
    ({ lines: [, ...lines], body }, hidden) =>
      framed([`POST http://pay2.example.com${INVOICES} HTTP/1.1`, ...lines], [CL(body.length)], body + hidden),
  ],
  [
    'a connection header that names the length',
    ({ lines, body }, hidden) => framed(lines, ['connection: content-length', CL(body.length)], body + hidden),
  ],
]
