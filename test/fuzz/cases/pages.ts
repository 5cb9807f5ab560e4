/** Payers' pages, web forms, acquirers' callbacks and documents: everything that needs no signature. */
import { randomUUID } from 'node:crypto'
import { operations } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import type { Answer } from '../connection.ts'
import { CARD, OUTSIDE, PAYABLE, type FuzzWorld } from '../objects.ts'
import { faultsOf, PAYLOAD } from '../oracles/answers.ts'
import { bytesOf, plainDraft, type Header } from '../request.ts'
import { aboutOf, type Case, type Created } from './case.ts'
import { encodeQuery, freshName } from './values.ts'

const HOSTILE = [
  PAYLOAD,
  `"><img src=x onerror=${PAYLOAD}>`,
  'a\r\nSet-Cookie: a=b',
  '\0',
  '\u202e',
  '../../etc/passwd',
  "' or 1=1 --",
  '{{7*7}}',
  '__proto__',
  '[object Object]',
  'x'.repeat(5_000),
  '\ud7ff\ue000\u{10ffff}',
  '',
  '-1',
  '1e400',
] as const

const LANGUAGES = ['en', 'uk', 'kk', 'xx', '*', 'en;q=0', `uk,${'en,'.repeat(500)}`, '\xff', PAYLOAD] as const
const ACCEPTED = ['text/html', 'application/json', '*/*', 'text/event-stream', 'text/html;q=0', ''] as const

/** Headers of a browser, or of a client that imitates one. */
const headersOf = (random: Random): Header[] => {
  const headers: Header[] = [
    // The payers' proxy says who they are.
    ['X-Forwarded-For', `10.${random.int(256)}.${random.int(256)}.${random.int(256)}`],
    ['Accept', random.pick(ACCEPTED)],
  ]
  if (random.chance(0.3)) headers.push(['Accept-Language', random.pick(LANGUAGES)])
  if (random.chance(0.3))
    headers.push(['Accept-Encoding', random.pick(['gzip', 'br', 'identity', 'gzip;q=0', '*', 'zstd'])])
  if (random.chance(0.1))
    headers.push(['X-Forwarded-For', random.pick(['unknown', '::1', '1.2.3.4, 5.6.7.8', 'x'.repeat(500)])])
  if (random.chance(0.1)) headers.push(['X-Forwarded-Host', 'evil.example'], ['Forwarded', 'host=evil.example'])
  if (random.chance(0.1)) headers.push(['Cookie', PAYLOAD], ['Origin', 'https://evil.example'])
  if (random.chance(0.1)) headers.push(['X-HTTP-Method-Override', 'DELETE'], ['Range', 'bytes=0-'])
  return headers
}

/** An id of an invoice, or something else in its place. */
const idOf = (kind: 'crypto' | 'fiat', { owned }: FuzzWorld, random: Random): string => {
  const own = owned[random.pick([0, 1] as const)].ids
  return random.pick([
    random.pick(kind === 'crypto' ? own.cryptoInvoice : own.fiatInvoice),
    random.pick(kind === 'crypto' ? own.cryptoInvoice : own.fiatInvoice),
    random.pick(kind === 'crypto' ? own.fiatInvoice : own.cryptoInvoice),
    random.pick(own.cryptoWithdrawal),
    randomUUID(),
    encodeURIComponent(random.pick(HOSTILE).toWellFormed().slice(0, 300)),
    '%',
    '%00',
    '%2e%2e',
    '%c0%ae',
  ])
}

const judge =
  (isHead: boolean): Case['judge'] =>
  ([answer]) =>
    answer === undefined ? ['no answer'] : [...faultsOf(answer, isHead), ...leaksOf(answer)]

/** A page may redirect to itself or to the payment page only, and sets no cookie. */
const leaksOf = ({ status, headers }: Answer): string[] => {
  const faults: string[] = []
  if (headers['set-cookie'] !== undefined) faults.push('a cookie')
  const location = headers['location']
  if (
    status >= 300 &&
    status < 400 &&
    !/^(http:\/\/127\.0\.0\.1:\d+)?\/invoices\/(crypto|fiat)\/[0-9a-f-]{36}(\?|$)/.test(location ?? '')
  )
    faults.push(`a redirect to ${location}`)
  return faults
}

const visitQuery = (random: Random): string => {
  const pairs: [string, string][] = []
  if (random.chance(0.4)) pairs.push(['lang', random.pick(LANGUAGES).slice(0, 300)])
  if (random.chance(0.4))
    pairs.push(['claim', random.pick([...HOSTILE, 'A'.repeat(43), 'a.b', randomUUID()]).toWellFormed()])
  if (random.chance(0.3)) pairs.push(['rest', random.pick(['', '1'])])
  if (random.chance(0.3)) pairs.push(['returned', ''])
  if (random.chance(0.3))
    pairs.push([random.pick(['__proto__', 'constructor', 'x[y]', PAYLOAD]), random.pick(HOSTILE).toWellFormed()])
  const query = encodeQuery(pairs)
  return query === ''
    ? ''
    : `?${query}${random.chance(0.2) ? random.pick(['&%', '&%zz=%f', '&&&', '&=', '&lang']) : ''}`
}

/** A page that is only looked at. */
export const makePageVisit = (world: FuzzWorld, random: Random): Case => {
  const kind = random.pick(['crypto', 'fiat'] as const)
  const path = random.pick([
    () => `/invoices/${kind}/${idOf(kind, world, random)}`,
    () => `/invoices/${kind}/${idOf(kind, world, random)}`,
    () => `/invoices/${kind}/${idOf(kind, world, random)}/receipt.pdf`,
    () => `/invoices/${kind}/${idOf(kind, world, random)}/live`,
    () => `/compliance/${encodeURIComponent(random.pick([randomUUID(), `${randomUUID()}.pdf`, '..', '%', PAYLOAD]))}`,
    () =>
      random.pick([
        '/docs',
        '/openapi.json',
        '/robots.txt',
        '/health/live',
        '/health/ready',
        '/favicon.ico',
        '/',
        '/metrics',
        '/..',
        '/%2e%2e/',
        '/invoices',
        '/.git/config',
      ]),
  ])()
  const isHead = random.chance(0.1)
  const draft = plainDraft(isHead ? 'HEAD' : 'GET', `${path}${visitQuery(random)}`, headersOf(random))
  const parts = [bytesOf(draft)]
  const isStream = path.endsWith('/live')
  return {
    kind: `page: ${path.endsWith('.pdf') ? 'receipt' : isStream ? 'stream' : path.startsWith('/invoices') ? 'invoice' : 'document'}`,
    about: aboutOf(parts),
    parts,
    isHead,
    isStream,
    isAlone: isStream,
    effect: 'nothing',
    judge: judge(isHead),
  }
}

const VERBS = ['proceed', 'requote', 'retry', 'payRest', 'refund'] as const

const formFields = (random: Random): [string, string][] => {
  const [ticker, blockchain, amount] = random.pick(PAYABLE)
  const fields: [string, string][] = [['do', random.chance(0.9) ? random.pick(VERBS) : random.pick(HOSTILE)]]
  if (random.chance(0.8)) fields.push(['email', random.chance(0.6) ? 'payer@example.com' : random.pick(HOSTILE)])
  if (random.chance(0.4)) fields.push(['value', random.chance(0.6) ? amount : random.pick(HOSTILE)])
  if (random.chance(0.4)) fields.push(['choice', random.chance(0.6) ? `${ticker}:${blockchain}` : random.pick(HOSTILE)])
  if (random.chance(0.4)) fields.push(['address', random.chance(0.5) ? OUTSIDE[blockchain]! : random.pick(HOSTILE)])
  if (random.chance(0.1)) fields.push(random.pick(fields), ['__proto__', '1'])
  return fields.map(([name, value]) => [name, value.toWellFormed()])
}

/**
 * Forms that a payer submits on a page. The forms of the page change its invoice; no other content type does anything.
 */
export const makePageForm = (world: FuzzWorld, random: Random): Case => {
  const kind = random.pick(['crypto', 'fiat'] as const)
  const target = `/invoices/${kind}/${idOf(kind, world, random)}${visitQuery(random)}`
  const isForm = random.chance(0.8)
  const type = isForm
    ? random.pick([
        'application/x-www-form-urlencoded',
        'application/x-www-form-urlencoded; charset=utf-8',
        'APPLICATION/X-WWW-FORM-URLENCODED',
      ])
    : random.pick([
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        '',
        'x'.repeat(500),
      ])
  const body = random.chance(0.05)
    ? random.pick(['%', '&&&', '=', 'do=%ff', 'a=1&'.repeat(3_000), 'x'.repeat(20_000)])
    : encodeQuery(formFields(random))
  const headers: Header[] = [...headersOf(random), ['Content-Type', type]]
  const parts = [bytesOf(plainDraft('POST', target, headers, body))]
  return {
    kind: isForm ? 'page form' : 'page form of another type',
    about: aboutOf(parts),
    parts,
    effect: isForm ? 'something' : 'nothing',
    judge: judge(false),
  }
}

const forms = operations.filter(({ signed }) => !signed)

const invoiceFields = (world: FuzzWorld, random: Random): [string, string][] => {
  const { account } = world.owned[random.pick([0, 1] as const)]
  const [ticker, blockchain, amount] = random.pick(PAYABLE)
  const id = random.chance(0.8) ? account.id : random.pick([world.installation.disabled.id, randomUUID(), ...HOSTILE])
  const fields: [string, string][] = [
    [random.pick(['merchantId', 'merchantID']), id],
    ['name', random.pick(['Donation', PAYLOAD, freshName(random)])],
  ]
  if (random.chance(0.5)) fields.push(['value', amount], ['ticker', ticker])
  if (random.chance(0.3)) fields.push(['blockchain', blockchain])
  if (random.chance(0.3)) fields.push(['meta', random.pick(HOSTILE)], ['description', random.pick(HOSTILE)])
  if (random.chance(0.3)) fields.push(['email', random.pick(['payer@example.com', ...HOSTILE])])
  if (random.chance(0.3))
    fields.push([
      'redirectUrl',
      random.pick([
        'https://shop.example/x',
        'https://evil.example',
        'https://shop.example@evil.example',
        'javascript:alert(1)',
        'https://shop.example\\@evil.example',
        '//evil.example',
      ]),
    ])
  if (random.chance(0.2))
    fields.push(['targetTicker', ticker], ['targetAddress', OUTSIDE[blockchain]!], ['targetBlockchain', blockchain])
  if (random.chance(0.2)) fields.push(['token', random.pick(HOSTILE)])
  if (random.chance(0.1)) fields.push(random.pick(fields))
  return fields.map(([name, value]) => [name, value.toWellFormed()])
}

const multipart = (fields: readonly [string, string][], boundary: string): string =>
  `${fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`

const PAGE_OF: Readonly<Record<string, Created['table']>> = {
  createCryptoInvoiceByForm: 'crypto_invoices',
  createFiatInvoiceByForm: 'fiat_invoices',
}

/** The unsigned web forms that make an invoice. */
export const makeInvoiceForm = (world: FuzzWorld, random: Random): Case => {
  const { id: operation, path } = random.pick(forms)
  const fields = invoiceFields(world, random)
  const [type, body] = random.pick([
    () => ['application/x-www-form-urlencoded', encodeQuery(fields)],
    () => ['multipart/form-data; boundary=xyz', multipart(fields, 'xyz')],
    () => ['application/json', JSON.stringify(Object.fromEntries(fields))],
    () => ['multipart/form-data; boundary=', multipart(fields, '')],
    () => ['multipart/form-data; boundary=abc', multipart(fields, 'xyz').slice(0, 200)],
    () => ['text/plain', encodeQuery(fields)],
    () => ['application/x-www-form-urlencoded', `${encodeQuery(fields)}&name=%ff`],
  ] as (() => [string, string])[])()
  const headers: Header[] = [...headersOf(random), ['Content-Type', type]]
  const parts = [bytesOf(plainDraft('POST', path, headers, body))]
  const merchantId = fields[0]![1]
  return {
    kind: 'invoice form',
    about: aboutOf(parts),
    parts,
    effect: 'something',
    judge: judge(false),
    created: ([answer]) => {
      const made = /\/invoices\/\w+\/([0-9a-f-]{36})/.exec(answer?.headers['location'] ?? '')?.[1]
      return made === undefined ? [] : [{ table: PAGE_OF[operation]!, merchantId, id: made }]
    },
  }
}

/** Callbacks that no acquirer has signed. */
export const makeCallback = (world: FuzzWorld, random: Random): Case => {
  const name = random.pick(['bank', 'bank-reserve', 'nobody', '%00', '..', encodeURIComponent(PAYLOAD)])
  const invoice = random.pick(world.owned[0].ids.fiatInvoice)
  const [type, body] = random.pick([
    [
      'application/json',
      JSON.stringify({ reference: invoice, state: 'paid', amount: '1000.00', currency: 'UAH', card: CARD }),
    ],
    ['application/json', '{"__proto__":{"state":"paid"}}'],
    ['application/xml', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
    ['application/x-www-form-urlencoded', `data=${encodeURIComponent(PAYLOAD)}&signature=${'0'.repeat(64)}`],
    ['', ''],
    ['text/plain', 'x'.repeat(70_000)],
  ] as const)
  const headers: Header[] = [
    ...headersOf(random),
    ['Content-Type', type],
    [
      random.pick(['signature', 'x-signature', 'authorization', 'x-sign']),
      random.pick(['0'.repeat(64), '', PAYLOAD, 'null']),
    ],
  ]
  const parts = [
    bytesOf(
      plainDraft(random.pick(['POST', 'POST', 'POST', 'GET', 'PUT']), `/acquirers/${name}/callback`, headers, body),
    ),
  ]
  return {
    kind: 'callback',
    about: aboutOf(parts),
    parts,
    isAlone: true,
    effect: 'nothing',
    judge: (answers) => {
      const faults = judge(false)(answers)
      return answers[0] !== undefined && answers[0].status < 400
        ? [...faults, 'an unsigned callback is accepted']
        : faults
    },
  }
}

/** Other methods on pages. */
export const makePageMethod = (world: FuzzWorld, random: Random): Case => {
  const kind = random.pick(['crypto', 'fiat'] as const)
  const method = random.pick([
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'MKCOL',
    'LOCK',
    'REPORT',
    'QUERY',
  ])
  const path = random.pick([
    `/invoices/${kind}/${idOf(kind, world, random)}`,
    `/merchants/invoices/${kind}/form`,
    '/docs',
    '/robots.txt',
    '*',
  ])
  const parts = [bytesOf(plainDraft(method, path, headersOf(random), random.chance(0.5) ? 'do=proceed' : undefined))]
  return {
    kind: 'page method',
    about: aboutOf(parts),
    parts,
    isAlone: true,
    effect: 'nothing',
    judge: (answers) => {
      const faults = judge(false)(answers)
      return answers[0] !== undefined && answers[0].status < 400 ? [...faults, `${method} is accepted`] : faults
    },
  }
}
