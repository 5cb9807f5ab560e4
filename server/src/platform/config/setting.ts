import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { isIP } from 'node:net'
import { mailAddress } from '../base/mail-address.ts'
import { repeatedKey } from '../base/repeated-key.ts'
import { splitDatabaseUrl } from '../db/servers.ts'
import { saysOf, type Node } from './shape.ts'

/** Parsers of settings. Each throws a RangeError that says what to write instead. */

/** Parses a text according to its shape: `true` or `false`, a whole number in digits, or the text itself. */
export const readTyped =
  <Shape extends TSchema, Value = Static<Shape>>(shape: Shape) =>
  (text: string): Value => {
    const { type } = shape as Node
    const value = type === 'boolean' ? FLAGS[text] : type === 'integer' ? numberOf(text) : text
    if (Check(shape, value)) return value as Value
    throw new RangeError(`write ${saysOf(shape)}`)
  }

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false }
const numberOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN)

/** Parses the URL of a database, with one server or several. */
export const readDatabaseUrl = (text: string): string => {
  const isUrl = (one: string): boolean => URL.canParse(one) && /^postgres(ql)?:$/.test(new URL(one).protocol)
  if (splitDatabaseUrl(text).urls.every(isUrl)) return text
  throw new RangeError('write a URL that starts with postgres:// or postgresql://')
}

/** Parses a URL that has only a scheme and a host. */
export const readOrigin = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url !== undefined && /^https?:$/.test(url.protocol) && (text === url.origin || text === `${url.origin}/`)
  if (!isPlain) throw new RangeError('write a scheme and a host alone, such as https://pay.example.com')
  return url.origin
}

export interface ListenAddress {
  host: string
  port: number
}

/** Parses `HOST:PORT`, `[IPV6]:PORT`, or a port alone, which means this machine only. */
export const readListenAddress = (text: string): ListenAddress => {
  const match = /^(?:(?<host>\[[0-9a-fA-F:.]+\]|[^:\s/]+):)?(?<port>\d{1,5})$/.exec(text)
  const port = Number(match?.groups?.['port'])
  if (!match || port > 65_535) throw new RangeError('write HOST:PORT, [IPV6]:PORT, or a port alone')
  return { host: (match.groups!['host'] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port }
}

/** The location of the signer: a Unix socket, or a host that is authenticated by TLS. */
export type SignerPlace = { socketPath: string } | ListenAddress

export const readSignerPlace = (text: string): SignerPlace => {
  const socket = /^unix:(\/.+)$/.exec(text)?.[1]
  if (socket !== undefined) return { socketPath: socket }
  const host = /^https:\/\/([^/?#@]+)\/?$/.exec(text)?.[1]
  if (host === undefined) throw new RangeError('write unix:/PATH/OF/SOCKET or https://HOST:PORT')
  return readListenAddress(/:\d+$/.test(host) ? host : `${host}:443`)
}

/** The mail server, and the user to log in as. */
export interface SmtpPlace extends ListenAddress {
  tls: 'start' | 'starttls' | 'none'
  user: string | null
}

const SMTP_TLS = {
  smtps: { tls: 'start', port: 465 },
  smtp: { tls: 'starttls', port: 587 },
  'smtp+plain': { tls: 'none', port: 25 },
} as const

/**
 * Parses `smtps://[USER@]HOST[:PORT]` (TLS), `smtp://` (STARTTLS, required) or `smtp+plain://` (unencrypted, so without
 * a user).
 */
export const readSmtpPlace = (text: string): SmtpPlace => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const kind = url && SMTP_TLS[url.protocol.slice(0, -1) as keyof typeof SMTP_TLS]
  if (!url || !kind || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new RangeError(
      'write smtps://USER@HOST, smtp://USER@HOST (STARTTLS) or smtp+plain://HOST, with :PORT where it is not the usual one',
    )
  }
  if (url.password !== '') throw new RangeError('the password belongs into BURSAR_SMTP_PASSWORD_FILE')
  const user = decodeURIComponent(url.username)
  if (user !== '' && kind.tls === 'none')
    throw new RangeError('smtp+plain:// has no user: a password would travel in the clear')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || kind.port,
    tls: kind.tls,
    user: user === '' ? null : user,
  }
}

/** Parses `NAME <ADDRESS>` or an address alone. */
export const readMailFrom = (text: string): { name: string; address: string } => {
  const match = /^(?:(?<name>[^<>\p{Cc}]*)<(?<inner>[^<>\s]+)>|(?<plain>[^<>\s]+))$/u.exec(text.trim())
  const address = mailAddress(match?.groups?.['inner'] ?? match?.groups?.['plain'] ?? '')
  if (address === undefined) throw new RangeError('write NAME <ADDRESS>, such as Shop payments <pay@shop.example>')
  return { name: (match!.groups!['name'] ?? '').trim(), address }
}

/** Parses the prefix of the names of database roles. */
export const readRolePrefix = (text: string): string => {
  if (/^[a-z][a-z0-9_]{0,40}$/.test(text)) return text
  throw new RangeError('write lower-case letters, digits and underscores, at most 41, a letter first')
}

/** Parses a list separated by commas; an empty text is an empty list. */
export const readList =
  <Value>(readOne: (text: string) => Value) =>
  (text: string): Value[] =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(readOne)

/** Parses a range of IP addresses such as `10.0.0.0/8`, or one address. */
export const readRange = (text: string): string => {
  const [address = '', prefix, ...more] = text.split('/')
  const family = isIP(address)
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  if (family === 0 || !fits || more.length > 0)
    throw new RangeError('write ranges such as 10.0.0.0/8 or fd00::/8, joined by commas')
  return prefix === undefined ? `${address}/${family === 4 ? 32 : 128}` : text
}

/** Ports as `443` or `1024-65535`. */
export interface PortRange {
  least: number
  most: number
}

export const readPortRange = (text: string): PortRange => {
  const [, least, most = least] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const range = { least: Number(least), most: Number(most) }
  if (!(range.least >= 1 && range.least <= range.most && range.most <= 65_535))
    throw new RangeError('write ports such as 443 or 1024-65535, joined by commas')
  return range
}

/** Parses the JSON of a file, and passes it to a function that validates its shape. */
export const readJson =
  <Value>(parse: (json: unknown) => Value) =>
  (text: string): Value => {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch (error) {
      throw new RangeError(`the file must be JSON: ${(error as Error).message}`, { cause: error })
    }
    const twice = repeatedKey(text)
    if (twice !== undefined)
      throw new RangeError(`an object of the file has ${JSON.stringify(twice)} twice, and only the last would count`)
    return parse(json)
  }

/** Parses HTTP headers, one `NAME: VALUE` a line. The error does not repeat a line, because it may be a token. */
export const readHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): [string, string] => {
        const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*?)[ \t]*\r?$/.exec(line) ?? []
        if (name === undefined || value === undefined || value === '')
          throw new RangeError('write one `NAME: VALUE` a line, in ASCII')
        return [name.toLowerCase(), value]
      }),
  )
