/**
 * Requests that were not signed with the right key: signatures moved to other requests, cut elsewhere, written
 * otherwise, or made with other keys. None may be accepted.
 */
import { createHash, createHmac } from 'node:crypto'
import type { Random } from '../../../sandbox/random.ts'
import { sign } from '../../world/signed-request.ts'
import type { Account } from '../installation.ts'
import type { FuzzWorld, Order } from '../objects.ts'
import { faultsOf } from '../oracles/answers.ts'
import { bytesOf, secondsNow, signedDraft, signedHeaders, type Draft, type Header } from '../request.ts'
import { aboutOf, mustNotKnow, type Case } from './case.ts'
import { freshName, queryOf, withQuery } from './values.ts'
import { signedOperations, targetOf } from './valid.ts'

/** A request that would be accepted, were it signed. */
interface Wanted {
  method: string
  target: string
  body: string | undefined
  account: Account
  timestamp: number
}

const drawOrder = (world: FuzzWorld, random: Random): { order: Order; body: string } => {
  const order = random.pick(world.orders)
  return { order, body: JSON.stringify({ ...order.body, localId: freshName(random), meta: 'm' }) }
}

const drawWanted = (world: FuzzWorld, random: Random): Wanted => {
  const [{ account }] = world.owned
  const timestamp = secondsNow()
  if (random.chance(0.7)) {
    const { order, body } = drawOrder(world, random)
    return { method: 'POST', target: order.path, body, account, timestamp }
  }
  const operation = random.pick(signedOperations.filter(({ method }) => method === 'GET'))
  return { method: 'GET', target: targetOf(operation, world, random, 0), body: undefined, account, timestamp }
}

const withHeader = (headers: readonly Header[], name: string, value: string | Buffer): Header[] =>
  headers.map((one) => (one[0] === name ? [name, value] : one))

const draftOf = ({ method, target, body, account, timestamp }: Wanted): Draft => ({
  method,
  target,
  body: body === undefined ? undefined : Buffer.from(body),
  headers: signedHeaders({ method, target, body }, account, timestamp),
})

const rightSignature = ({ method, target, body, account, timestamp }: Wanted): string =>
  sign(account.privateKey, method, target, body ?? '', timestamp)

const messageOf = ({ method, target, body, timestamp }: Wanted): string => `${method}${target}${body ?? ''}${timestamp}`

type Forge = (wanted: Wanted, world: FuzzWorld, random: Random) => Draft

const withSignature = (wanted: Wanted, signature: string | Buffer): Draft => {
  const draft = draftOf(wanted)
  return { ...draft, headers: withHeader(draft.headers, 'signature', signature) }
}

const hmac = (algorithm: string, key: string | Buffer, message: string): Buffer =>
  createHmac(algorithm, key).update(message).digest()

/** The signature of one request on another. */
const MOVED: Readonly<Record<string, Forge>> = {
  'on another body': (wanted, world, random) => {
    const { body } = drawOrder(world, random)
    return { ...draftOf(wanted), method: 'POST', body: Buffer.from(body) }
  },
  'on a body with one byte changed': (wanted, _world, random) => {
    const body = Buffer.from(wanted.body ?? '{}')
    const at = random.int(body.length)
    body[at] = body[at]! ^ (1 << random.int(7))
    return { ...draftOf(wanted), method: 'POST', body }
  },
  'on a body with space': (wanted) => ({ ...draftOf(wanted), method: 'POST', body: `${wanted.body ?? '{}'} ` }),
  'on another path': (wanted, world, random) => {
    const target = random.pick(world.orders.filter(({ path }) => path !== wanted.target)).path
    return { ...draftOf(wanted), target }
  },
  'on the path with a slash': (wanted) => {
    const [path, query] = wanted.target.split('?')
    return { ...draftOf(wanted), target: query === undefined ? `${path}/` : `${path}/?${query}` }
  },
  'on another query': (wanted, world, random) => {
    const operation = random.pick(signedOperations.filter(({ query }) => query !== null))
    const target = withQuery(operation.path, [...queryOf(operation, world, random), ['x', freshName(random)]])
    return { ...draftOf(wanted), method: 'GET', target, body: undefined }
  },
  'on another method': (wanted) => ({ ...draftOf(wanted), method: wanted.method === 'GET' ? 'HEAD' : 'PUT' }),
  'of another merchant': (wanted, world) => {
    const draft = draftOf({ ...wanted, account: world.owned[1].account })
    return { ...draft, headers: withHeader(draft.headers, 'merchant-id', wanted.account.id) }
  },
  'for another merchant': (wanted, world, random) => {
    const draft = draftOf(wanted)
    const other = random.pick([world.owned[1].account, world.installation.poor, world.installation.disabled]).id
    return { ...draft, headers: withHeader(draft.headers, 'merchant-id', other) }
  },
  'at another time': (wanted, _world, random) => {
    const draft = draftOf(wanted)
    const other = String(wanted.timestamp - 1 - random.int(20))
    return { ...draft, headers: withHeader(draft.headers, 'timestamp', other) }
  },
}

const REENCODED: Readonly<Record<string, (wanted: Wanted, random: Random) => string | Buffer>> = {
  'upper case': (wanted) => rightSignature(wanted).toUpperCase(),
  'one digit in upper case': (wanted) => rightSignature(wanted).replace(/[a-f]/, (digit) => digit.toUpperCase()),
  base64: (wanted) => Buffer.from(rightSignature(wanted), 'hex').toString('base64'),
  base64url: (wanted) => Buffer.from(rightSignature(wanted), 'hex').toString('base64url'),
  'hex of hex': (wanted) => Buffer.from(rightSignature(wanted)).toString('hex'),
  bytes: (wanted) =>
    Buffer.from(rightSignature(wanted), 'hex').map((byte) => (byte < 0x20 || byte === 0x7f ? 0x41 : byte)) as Buffer,
  'a prefix': (wanted, random) => random.pick(['0x', 'sha256=', 'v1,', 'hmac ', '=']) + rightSignature(wanted),
  'one digit more': (wanted, random) => rightSignature(wanted) + random.pick(['0', '00', '=', ' 0', ';', '\0']),
  'one digit less': (wanted) => rightSignature(wanted).slice(0, 63),
  half: (wanted) => rightSignature(wanted).slice(0, 32),
  empty: () => '',
  quoted: (wanted) => `"${rightSignature(wanted)}"`,
  reversed: (wanted) => [...rightSignature(wanted)].toReversed().join(''),
  'one bit changed': (wanted, random) => {
    const bytes = Buffer.from(rightSignature(wanted), 'hex')
    bytes[random.int(32)]! ^= 1 << random.int(8)
    return bytes.toString('hex')
  },
  zeros: () => '0'.repeat(64),
  'full-width digits': (wanted) =>
    Buffer.from(rightSignature(wanted).replace(/[0-9]/, (digit) => String.fromCharCode(0xff10 + Number(digit)))),
  'twice with a comma': (wanted) => `${rightSignature(wanted)}, ${rightSignature(wanted)}`,
  'a choice': (wanted) => `${'0'.repeat(64)} ${rightSignature(wanted)}`,
  'percent-encoded': (wanted) =>
    `%${rightSignature(wanted).charCodeAt(0).toString(16)}${rightSignature(wanted).slice(1)}`,
}

/** The right message by another function or key. */
const MISMADE: Readonly<Record<string, (wanted: Wanted, world: FuzzWorld) => Buffer>> = {
  sha1: (wanted) => Buffer.concat([hmac('sha1', wanted.account.privateKey, messageOf(wanted)), Buffer.alloc(12)]),
  sha512: (wanted) => hmac('sha512', wanted.account.privateKey, messageOf(wanted)).subarray(0, 32),
  'sha3-256': (wanted) => hmac('sha3-256', wanted.account.privateKey, messageOf(wanted)),
  'a hash of key and message': (wanted) =>
    createHash('sha256')
      .update(wanted.account.privateKey + messageOf(wanted))
      .digest(),
  'a hash without a key': (wanted) => createHash('sha256').update(messageOf(wanted)).digest(),
  'an empty key': (wanted) => hmac('sha256', '', messageOf(wanted)),
  'an unknown key': (wanted) => hmac('sha256', '0'.repeat(32), messageOf(wanted)),
  'the key as bytes of its hex': (wanted) =>
    hmac('sha256', Buffer.from(wanted.account.privateKey, 'hex'), messageOf(wanted)),
  'the merchant id as key': (wanted) => hmac('sha256', wanted.account.id, messageOf(wanted)),
  'another merchant’s key': (wanted, world) => hmac('sha256', world.owned[1].account.privateKey, messageOf(wanted)),
  'a replaced key': (wanted, world) => hmac('sha256', world.installation.oldKey, messageOf(wanted)),
  'the signature of the signature': (wanted) => hmac('sha256', wanted.account.privateKey, rightSignature(wanted)),
  'the message with separators': (wanted) =>
    hmac(
      'sha256',
      wanted.account.privateKey,
      [wanted.method, wanted.target, wanted.body ?? '', wanted.timestamp].join('\n'),
    ),
  'the message of a webhook': (wanted) =>
    hmac('sha256', wanted.account.privateKey, `POST127.0.0.1${wanted.target}${wanted.body ?? ''}${wanted.timestamp}`),
  'the message without its time': (wanted) =>
    hmac('sha256', wanted.account.privateKey, `${wanted.method}${wanted.target}${wanted.body ?? ''}`),
  'the message without its body': (wanted) =>
    hmac('sha256', wanted.account.privateKey, `${wanted.method}${wanted.target} ${wanted.timestamp}`),
  'the path without /merchants': (wanted) =>
    hmac('sha256', wanted.account.privateKey, messageOf(wanted).replace(/\/merchants(?=\/)|\/(?!merchants)/, '')),
}

/** Timestamps that are signed and must not be accepted. */
const TIMES: Readonly<Record<string, (now: number, random: Random) => string>> = {
  'too old': (now, random) => String(now - 75 - random.int(1_000_000)),
  'too new': (now, random) => String(now + 600 + random.int(1_000_000)),
  milliseconds: (now) => `${now}000`,
  'nine digits': (now) => String(now).slice(0, 9),
  'eleven digits': (now) => `0${now}`,
  'with a sign': (now, random) => random.pick(['+', '-']) + String(now),
  'a fraction': (now) => `${now}.0`,
  'an exponent': (now) => `${now}e0`,
  hex: (now) => `0x${now.toString(16)}`,
  empty: () => '',
  'full-width digits': () => '\xef\xbc\x91',
  'a date': () => new Date().toUTCString(),
  'a list': (now) => `${now},${now}`,
}

const times = (wanted: Wanted, kind: string, random: Random): Draft => {
  const timestamp = TIMES[kind]!(wanted.timestamp, random)
  return { ...draftOf(wanted), headers: signedHeaders(wanted, wanted.account, timestamp) }
}

const doubled = (wanted: Wanted, name: string, random: Random): Draft => {
  const draft = draftOf(wanted)
  const own = draft.headers.find((one) => one[0] === name)!
  const others: Readonly<Record<string, string>> = {
    signature: '0'.repeat(64),
    timestamp: String(wanted.timestamp - 1),
    'merchant-id': freshName(random),
    Host: 'evil.example',
  }
  const copy: Header = [random.pick([name, name.toUpperCase()]), random.pick([own[1], others[name]!])]
  return { ...draft, headers: random.chance(0.5) ? [copy, ...draft.headers] : [...draft.headers, copy] }
}
const DOUBLED = ['signature', 'timestamp', 'merchant-id', 'Host'] as const

/** The header under a name that is not its name. */
const MISNAMED = [
  'X-signature',
  'signature_',
  'Signature ',
  'sign ature',
  'signaturе',
  'Authorization',
  'merchant_id',
] as const

const misnamed = (wanted: Wanted, random: Random): Draft => {
  const draft = draftOf(wanted)
  const own = random.pick(['signature', 'merchant-id', 'timestamp'])
  const headers = draft.headers.map((one): Header => (one[0] === own ? [random.pick(MISNAMED), one[1]] : one))
  return { ...draft, headers }
}

const caseOf = (kind: string, draft: Draft, judge: Case['judge'], isAlone = false): Case => {
  const parts = [bytesOf(draft)]
  return { kind, about: aboutOf(parts), parts, isHead: draft.method === 'HEAD', isAlone, effect: 'nothing', judge }
}

/** Refused, for the first reason that applies. */
const mustNotAccept =
  (isHead: boolean): Case['judge'] =>
  ([answer]) => {
    if (answer === undefined) return ['no answer']
    return answer.status < 400
      ? [`accepted with status ${answer.status}: ${answer.body.toString().slice(0, 200)}`]
      : faultsOf(answer, isHead)
  }

export const makeForged = (world: FuzzWorld, random: Random): Case => {
  const wanted = drawWanted(world, random)
  switch (random.int(6)) {
    case 0: {
      const kind = random.pick(Object.keys(MOVED))
      const draft = MOVED[kind]!(wanted, world, random)
      return caseOf(`signature ${kind}`, draft, mustNotAccept(draft.method === 'HEAD'))
    }
    case 1: {
      const kind = random.pick(Object.keys(REENCODED))
      // Node refuses some bytes itself.
      const draft = withSignature(wanted, REENCODED[kind]!(wanted, random))
      return caseOf(`signature as ${kind}`, draft, mustNotAccept(false), true)
    }
    case 2: {
      const kind = random.pick(Object.keys(MISMADE))
      return caseOf(
        `signature by ${kind}`,
        withSignature(wanted, MISMADE[kind]!(wanted, world).toString('hex')),
        mustNotKnow,
      )
    }
    case 3: {
      const kind = random.pick(Object.keys(TIMES))
      return caseOf(`timestamp: ${kind}`, times(wanted, kind, random), mustNotKnow)
    }
    case 4: {
      const name = random.pick(DOUBLED)
      return caseOf(`doubled ${name}`, doubled(wanted, name, random), mustNotAccept(false), true)
    }
    default:
      return caseOf('misnamed header', misnamed(wanted, random), mustNotAccept(false), true)
  }
}

/**
 * A signed message cut elsewhere: METHOD, target, body and timestamp are joined without separators, so that the same
 * text has other readings. Each is sent with the signature of the message.
 */
const SLIDES: Readonly<Record<string, (wanted: Wanted, random: Random) => Draft>> = {
  'the body begins in the target': (wanted, random) => {
    const body = wanted.body ?? '{}'
    const cut = 1 + random.int(body.length)
    // A request target holds no space.
    const head = body.slice(0, cut).replaceAll(' ', '')
    return slide(wanted, { target: wanted.target + head, body: body.slice(cut) })
  },
  'the whole body is the query': (wanted) =>
    slide(wanted, { target: `${wanted.target}?${wanted.body ?? ''}`, body: '' }),
  'the target ends in the body': (wanted, random) => {
    const slashes = [...wanted.target.matchAll(/\/|\?/g)].map(({ index }) => index).filter((at) => at > 0)
    const cut = random.chance(0.5) ? random.pick(slashes) : 1 + random.int(wanted.target.length - 1)
    return slide(wanted, { target: wanted.target.slice(0, cut), body: wanted.target.slice(cut) + (wanted.body ?? '') })
  },
  'the query is the body': (wanted) => {
    const [path = '', query = ''] = wanted.target.split('?')
    return slide(wanted, { target: path, body: `?${query}${wanted.body ?? ''}` })
  },
  'the timestamp begins in the body': (wanted, random) => {
    const cut = 1 + random.int(9)
    const digits = String(wanted.timestamp)
    return slide(wanted, { body: (wanted.body ?? '') + digits.slice(0, cut), timestamp: digits.slice(cut) })
  },
  'the body ends in the timestamp': (wanted, random) => {
    const body = wanted.body ?? '0'
    const cut = Math.max(0, body.length - 1 - random.int(3))
    return slide(wanted, { body: body.slice(0, cut), timestamp: body.slice(cut) + String(wanted.timestamp) })
  },
  'the target ends in the timestamp': (wanted) => {
    const target = `${wanted.target}${wanted.target.includes('?') ? '&' : '?'}x=1`
    const signature = sign(wanted.account.privateKey, wanted.method, target, '', wanted.timestamp)
    const draft = draftOf({ ...wanted, target: target.slice(0, -1), body: undefined })
    return {
      ...draft,
      headers: withHeader(withHeader(draft.headers, 'signature', signature), 'timestamp', `1${wanted.timestamp}`),
    }
  },
  'the method ends in the target': (wanted) => ({
    ...draftOf(wanted),
    method: wanted.method.slice(0, -1),
    target: wanted.method.slice(-1) + wanted.target,
  }),
  'the target begins in the method': (wanted) => ({
    ...draftOf(wanted),
    method: `${wanted.method}/merchants`,
    target: wanted.target.replace('/merchants', ''),
  }),
  'a GET and its query as a POST and its body': (wanted) => ({
    ...draftOf(wanted),
    method: 'POST',
    target: wanted.target.split('?')[0]!,
    body: wanted.target.split('?')[1] ?? '',
  }),
}

/** The parts of another reading, with the signature of the first. */
const slide = (wanted: Wanted, part: { target?: string; body?: string; timestamp?: string }): Draft => {
  const draft = draftOf(wanted)
  const headers = part.timestamp === undefined ? draft.headers : withHeader(draft.headers, 'timestamp', part.timestamp)
  return { ...draft, ...(part.target !== undefined && { target: part.target }), body: part.body ?? draft.body, headers }
}

export const makeSlid = (world: FuzzWorld, random: Random): Case => {
  const kind = random.pick(Object.keys(SLIDES))
  const draft = SLIDES[kind]!(drawWanted(world, random), random)
  return caseOf(`slide: ${kind}`, draft, mustNotAccept(false), true)
}

export const makeUnknownMerchant = (world: FuzzWorld, random: Random): Case => {
  const { owned, installation } = world
  const kind = random.pick(['disabled', 'unknown', 'no UUID', 'empty', 'a list', 'zeros'] as const)
  const [{ account }] = owned
  const id = {
    disabled: installation.disabled.id,
    unknown: `${freshName(random).slice(2, 10)}-0000-4000-8000-000000000000`,
    'no UUID': random.pick([
      "' or 1=1 --",
      '*',
      '__proto__',
      'null',
      account.id.slice(0, 35),
      `${account.id}0`,
      `{${account.id}}`,
    ]),
    empty: '',
    'a list': `${account.id},${account.id}`,
    zeros: '00000000-0000-0000-0000-000000000000',
  }[kind]
  const { order, body } = drawOrder(world, random)
  const key = kind === 'disabled' ? installation.disabled.privateKey : account.privateKey
  const draft = signedDraft({ method: 'POST', target: order.path, body }, { id, privateKey: key })
  return caseOf(`merchant: ${kind}`, draft, mustNotKnow)
}
