/** Requests as bytes, exactly as a case writes them to a connection. The signature is of `contract.md`, section 2. */
import { sign } from '../world/signed-request.ts'
import type { Account } from './installation.ts'

export type Header = readonly [name: string, value: string | Buffer]

export interface Draft {
  method: string
  /** path and query as sent */
  target: string
  /** in this order, as they are */
  headers: readonly Header[]
  /** undefined: none, and no Content-Length */
  body?: string | Buffer | undefined
}

export const secondsNow = (): number => Math.floor(Date.now() / 1_000)

const HOST: Header = ['Host', '127.0.0.1']

/** The whole request. Content-Length is added when there is a body, unless a header says it. */
export const bytesOf = ({ method, target, headers, body }: Draft): Buffer => {
  const hasOwnLength = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const all: Header[] = [
    ...headers,
    ...(body === undefined || hasOwnLength ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const]),
  ]
  const pieces: (string | Buffer)[] = [`${method} ${target} HTTP/1.1\r\n`]
  for (const [name, value] of all) pieces.push(`${name}: `, value, '\r\n')
  pieces.push('\r\n', body ?? '')
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)))
}

export interface Signed {
  method: string
  target: string
  body?: string | Buffer | undefined
}

/** The headers of a signed request, Host included. @param timestamp seconds */
export const signedHeaders = (
  { method, target, body }: Signed,
  account: Account,
  timestamp: number | string = secondsNow(),
): Header[] => [
  HOST,
  ['Content-Type', 'application/json'],
  ['merchant-id', account.id],
  ['signature', sign(account.privateKey, method, target, body ?? '', timestamp)],
  ['timestamp', String(timestamp)],
]

/** A request that the merchant has signed now. A body as text is sent as UTF-8. */
export const signedDraft = (signed: Signed, account: Account, more: readonly Header[] = []): Draft => {
  const body = typeof signed.body === 'string' ? Buffer.from(signed.body) : signed.body
  return { ...signed, body, headers: [...signedHeaders({ ...signed, body }, account), ...more] }
}

/** A request without a signature. */
export const plainDraft = (method: string, target: string, headers: readonly Header[] = [], body?: string): Draft => ({
  method,
  target,
  headers: [HOST, ...headers],
  body: body === undefined ? undefined : Buffer.from(body),
})
