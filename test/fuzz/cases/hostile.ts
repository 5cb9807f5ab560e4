/**
 * Bytes that no client should send, around a correctly signed order. A proxy that parses them in another way than the
 * api would see another request. The api may carry out a request that RFC 9112 allows, once, and must ignore all
 * others.
 */
import type { Random } from '../../../sandbox/random.ts'
import type { Sending } from '../connection.ts'
import type { FuzzWorld } from '../objects.ts'
import { faultsOf } from '../oracles/answers.ts'
import { bytesOf, signedDraft, type Draft } from '../request.ts'
import { aboutOf, mustBeByContract, type Case } from './case.ts'
import { freshName } from './values.ts'
import { createdBy, signedOperations } from './valid.ts'

/** A signed order in pieces. */
interface Base {
  /** `POST /target` */
  line: string
  /** lines of headers without any of the body's length */
  headers: string
  body: string
  draft: Draft
}

const END = '\r\n\r\n'

const drawBase = (world: FuzzWorld, random: Random): Base & Pick<Case, 'created'> & { operation: string } => {
  const order = random.pick(world.orders)
  const [{ account }] = world.owned
  const operation = signedOperations.find(({ id }) => id === order.operation)!
  const body = JSON.stringify({ ...order.body, localId: freshName(random) })
  const draft = signedDraft({ method: 'POST', target: order.path, body }, account)
  return {
    line: `POST ${order.path}`,
    headers: draft.headers.map(([name, value]) => `${name}: ${value.toString()}`).join('\r\n'),
    body,
    draft,
    created: createdBy(operation, account),
    operation: operation.id,
  }
}

const lengthOf = (text: string): number => Buffer.byteLength(text)
const chunked = (text: string, size = 7): string => {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += size) {
    const chunk = text.slice(at, at + size)
    chunks.push(`${lengthOf(chunk).toString(16)}\r\n${chunk}\r\n`)
  }
  return `${chunks.join('')}0${END}`
}

/** A request with these lines for the body's length, and this after its head. */
const framed = ({ line, headers }: Base, lines: string, rest: string): string =>
  `${line} HTTP/1.1\r\n${headers}\r\n${lines}${END}${rest}`

type Text = (base: Base, random: Random) => string

/** Framings that a front and the api could read in two ways (RFC 9112, 6.1 and 6.3; RFC 9110, 8.6). */
const SMUGGLING: Readonly<Record<string, Text>> = {
  'a length and chunks': (base) =>
    framed(base, `Content-Length: ${lengthOf(base.body)}\r\nTransfer-Encoding: chunked`, `0${END}${base.body}`),
  'chunks and a length': (base) => framed(base, `Transfer-Encoding: chunked\r\nContent-Length: 4`, chunked(base.body)),
  'two lengths': (base, random) =>
    framed(
      base,
      random.pick([
        `Content-Length: 0\r\nContent-Length: ${lengthOf(base.body)}`,
        `Content-Length: ${lengthOf(base.body)}\r\nContent-Length: 0`,
      ]),
      base.body,
    ),
  'a length that is no number': (base, random) =>
    framed(
      base,
      `Content-Length: ${random.pick([`+${lengthOf(base.body)}`, `-1`, `0x${lengthOf(base.body).toString(16)}`, `${lengthOf(base.body)}, ${lengthOf(base.body)}`, `${lengthOf(base.body)}.0`, `1e2`, '', '18446744073709551616', `${lengthOf(base.body)} 1`])}`,
      base.body,
    ),
  'an unknown transfer coding': (base, random) =>
    framed(
      base,
      `Transfer-Encoding: ${random.pick(['xchunked', 'identity', 'gzip', 'chunked, identity', 'gzip, deflate', '"chunked"', 'chunked;q=1'])}`,
      chunked(base.body),
    ),
  'a chunk size that is no number': (base, random) =>
    framed(
      base,
      'Transfer-Encoding: chunked',
      `${random.pick(['0x5', '-5', '+5', 'g', '5 5', ''])}\r\n${base.body}\r\n0${END}`,
    ),
  'a chunk that is too long': (base) =>
    framed(base, 'Transfer-Encoding: chunked', `${(lengthOf(base.body) - 2).toString(16)}\r\n${base.body}\r\n0${END}`),
  'a huge chunk size': (base) =>
    framed(base, 'Transfer-Encoding: chunked', `fffffffffffffffff\r\n${base.body}\r\n0${END}`),
  'a folded header': (base) =>
    framed(
      { ...base, headers: base.headers.replace('signature: ', 'signature:\r\n ') },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'a header folded by a tab': (base) =>
    framed(
      { ...base, headers: base.headers.replace('timestamp: ', 'timestamp:\r\n\t') },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'a space before a colon': (base) =>
    framed(
      { ...base, headers: base.headers.replace('signature:', 'signature :') },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'a space before the length': (base) => framed(base, `Content-Length : ${lengthOf(base.body)}`, base.body),
  'a bare CR': (base) =>
    framed(
      { ...base, headers: base.headers.replace('\r\n', '\r') },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'a bare LF in a value': (base) =>
    framed(base, `X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'U+0000 in a value': (base) => framed(base, `X-A: b\0c\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'U+0000 in a name': (base) => framed(base, `X\0A: b\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'a header without a name': (base) => framed(base, `: b\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'a line without a colon': (base) => framed(base, `X-A\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'a space before the first header': (base) =>
    framed({ ...base, headers: ` X: y\r\n${base.headers}` }, `Content-Length: ${lengthOf(base.body)}`, base.body),
  'two hosts': (base) => framed(base, `HOST: evil.example\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'no host': (base) =>
    framed(
      { ...base, headers: base.headers.replace('Host: 127.0.0.1\r\n', '') },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
}

const PROTOCOLS: Readonly<Record<string, Text>> = {
  'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a greeting of TLS': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + 'a'.repeat(64) + END,
  'an unknown version': (base, random) =>
    `${base.line} ${random.pick(['HTTP/2.0', 'HTTP/1.2', 'HTTP/0.9', 'HTTP/11', 'HTTP/1.10', 'http/1.1', 'HTTP /1.1', 'HTTP/1.1 ', ''])}\r\n${base.headers}\r\nContent-Length: ${lengthOf(base.body)}${END}${base.body}`,
  'an unknown method': (base, random) =>
    framed(
      {
        ...base,
        line: base.line.replace('POST', random.pick(['post', 'PoST', 'POSTS', 'GET\tPOST', '\0POST', 'CONNECT', 'X'])),
      },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'spaces in the request line': (base, random) =>
    framed(
      { ...base, line: base.line.replace(' ', random.pick(['\t', ' x ', '\x0b'])) },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'another expectation': (base) => framed(base, `Expect: 200-ok\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'a long header': (base) =>
    framed(base, `X-A: ${'a'.repeat(20_000)}\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  'many headers': (base) =>
    framed(
      base,
      `${Array.from({ length: 3_000 }, (_, n) => `X-${n}: b`).join('\r\n')}\r\nContent-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'a long target': (base) =>
    framed(
      { ...base, line: `${base.line}?${'a'.repeat(20_000)}` },
      `Content-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  'a body that is too long': (base) => framed(base, `Content-Length: 1048577`, `{"x":"${'x'.repeat(1_048_577 - 8)}"}`),
  'chunks that are too long': (base) =>
    framed(base, 'Transfer-Encoding: chunked', chunked(`{"x":"${'x'.repeat(1_100_000)}"}`, 65_536)),
}

/** Requests that RFC 9112 allows: they may be carried out. */
const ALLOWED: Readonly<Record<string, (base: Base, random: Random) => string[]>> = {
  chunks: (base, random) => [framed(base, 'Transfer-Encoding: chunked', chunked(base.body, 1 + random.int(50)))],
  'chunks with extensions': (base) => [
    framed(base, 'Transfer-Encoding: chunked', `${lengthOf(base.body).toString(16)};a=b\r\n${base.body}\r\n0${END}`),
  ],
  'chunks with a trailer': (base) => [
    framed(
      base,
      'Transfer-Encoding: chunked\r\nTrailer: signature',
      chunked(base.body).replace(/\r\n$/, `signature: ${'0'.repeat(64)}${END}`),
    ),
  ],
  'the version 1.0': (base) => [
    `${base.line} HTTP/1.0\r\n${base.headers}\r\nContent-Length: ${lengthOf(base.body)}${END}${base.body}`,
  ],
  'a body in pieces': (base, random) => {
    const text = framed(base, `Content-Length: ${lengthOf(base.body)}`, base.body)
    const cuts = Array.from({ length: 5 }, () => random.int(text.length)).toSorted((a, b) => a - b)
    return [0, ...cuts].map((from, at) => text.slice(from, cuts[at] ?? text.length))
  },
  'an expected 100': (base) => [
    framed(base, `Expect: 100-continue\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  ],
  'an upgrade': (base, random) => [
    framed(
      base,
      `Connection: Upgrade\r\nUpgrade: ${random.pick(['websocket', 'h2c', 'TLS/1.0'])}\r\nContent-Length: ${lengthOf(base.body)}`,
      base.body,
    ),
  ],
  'headers in another case': (base) => [
    framed(
      { ...base, headers: base.headers.replace(/^[\w-]+(?=:)/gm, (name) => name.toUpperCase()) },
      `CONTENT-LENGTH: ${lengthOf(base.body)}`,
      base.body,
    ),
  ],
  // RFC 9112, 3: a server may divide the line at any white space.
  'two spaces in the request line': (base) => [
    framed({ ...base, line: base.line.replace(' ', '  ') }, `Content-Length: ${lengthOf(base.body)}`, base.body),
  ],
  'empty lines before': (base) => [`\r\n\r\n${framed(base, `Content-Length: ${lengthOf(base.body)}`, base.body)}`],
  'spaces around values': (base) => [
    framed(
      { ...base, headers: base.headers.replaceAll(': ', ': \t ') },
      `Content-Length:\t${lengthOf(base.body)} `,
      base.body,
    ),
  ],
  'another request behind': (base) => [
    framed(base, `Content-Length: ${lengthOf(base.body)}`, base.body) +
      `GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close${END}`,
  ],
  'a connection that forgets a header': (base) => [
    framed(base, `Connection: signature, merchant-id, close\r\nContent-Length: ${lengthOf(base.body)}`, base.body),
  ],
}

const sendingOf = (parts: readonly string[]): Pick<Sending, 'parts' | 'isAlone'> => ({
  parts: parts.map((part) => Buffer.from(part, 'latin1')),
  isAlone: true,
})

/** Nothing is accepted; a connection that ends without an answer is a refusal too. */
const judgeRefusal: Case['judge'] = (answers) =>
  answers.flatMap((answer) => (answer.status < 400 ? [`accepted with status ${answer.status}`] : faultsOf(answer)))

export const makeSmuggled = (world: FuzzWorld, random: Random): Case => {
  const base = drawBase(world, random)
  const texts = random.chance(0.7) ? SMUGGLING : PROTOCOLS
  const kind = random.pick(Object.keys(texts))
  const sending = sendingOf([texts[kind]!(base, random)])
  // Nothing comes behind: the api must not wait for it.
  return {
    kind: `bytes: ${kind}`,
    about: aboutOf(sending.parts),
    ...sending,
    isCut: true,
    effect: 'nothing',
    judge: judgeRefusal,
  }
}

export const makeAllowed = (world: FuzzWorld, random: Random): Case => {
  const { operation: id, created, ...base } = drawBase(world, random)
  const kind = random.pick(Object.keys(ALLOWED))
  const sending = sendingOf(ALLOWED[kind]!(base, random))
  const operation = signedOperations.find((one) => one.id === id)!
  return {
    kind: `allowed bytes: ${kind}`,
    about: aboutOf(sending.parts),
    ...sending,
    effect: 'something',
    judge: (answers) => mustBeByContract(operation)(answers),
    ...(created && { created: (answers) => created(answers.slice(0, 1)) }),
  }
}

/** Random bytes in the head of a signed request. */
export const makeNoise = (world: FuzzWorld, random: Random): Case => {
  const { draft, created } = drawBase(world, random)
  const bytes = bytesOf(draft)
  const head = bytes.indexOf(END)
  const at = random.int(head)
  const noise = random.bytes(1 + random.int(20))
  const kind = random.pick(['put in', 'in place', 'cut off', 'alone'] as const)
  const written = {
    'put in': () => Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]),
    'in place': () => Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + noise.length)]),
    'cut off': () => bytes.subarray(0, at),
    alone: () => noise,
  }[kind]()
  // Without the rest of its head it is no request.
  const isPart = kind === 'cut off' || kind === 'alone'
  return {
    kind: `noise: ${kind}`,
    about: aboutOf([written]),
    parts: [written],
    isAlone: true,
    isCut: isPart,
    // Noise in a header that nothing reads leaves the order as it was.
    effect: isPart ? 'nothing' : 'something',
    judge: isPart ? judgeRefusal : (answers) => answers.flatMap((answer) => faultsOf(answer)),
    created: (answers) => created!(answers.slice(0, 1)),
  }
}
