import { isIPv4, isIPv6 } from 'node:net'

/** An IP address as the number its bits make. Judged in this form only: one address has many spellings. */
export interface Address {
  family: 4 | 6
  bits: bigint
}

/** Addresses that share their first `prefix` bits (RFC 4632, RFC 4291). */
export interface Range {
  family: 4 | 6
  bits: bigint
  prefix: number
}

/** Reads dotted decimal and IPv6 text; null for anything else, zone ids too. */
export const parseAddress = (text: string): Address | null => {
  if (isIPv4(text)) return { family: 4, bits: ipv4Bits(text) }
  if (!isIPv6(text) || text.includes('%')) return null
  const [before, after] = text.split('::') as [string, string?]
  const front = groupsOf(before)
  const back = groupsOf(after ?? '')
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0n)
  return { family: 6, bits: [...front, ...zeros, ...back].reduce((bits, group) => (bits << 16n) | group, 0n) }
}

/** Reads `10.0.0.0/8`. Throws when it isn't a range, or when bits are set beyond its prefix. */
export const parseRange = (text: string): Range => {
  const [base = '', length = ''] = text.split('/')
  const address = parseAddress(base)
  const prefix = Number(length)
  if (!address || !/^\d{1,3}$/.test(length) || prefix > widthOf(address.family))
    throw new RangeError(`not a CIDR range: ${text}`)
  if (address.bits & ((1n << BigInt(widthOf(address.family) - prefix)) - 1n)) {
    throw new RangeError(`${text} has bits set beyond its prefix`)
  }
  return { ...address, prefix }
}

export const isIn = ({ family, bits }: Address, range: Range): boolean => {
  if (family !== range.family) return false
  const rest = BigInt(widthOf(family) - range.prefix)
  return bits >> rest === range.bits >> rest
}

/** The IPv4 address in the last 32 bits. */
export const lastFourBytes = ({ bits }: Address): Address => ({ family: 4, bits: bits & 0xffff_ffffn })

const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

const ipv4Bits = (text: string): bigint => text.split('.').reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n)

const groupsOf = (text: string): bigint[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? halves(ipv4Bits(group)) : BigInt(`0x${group}`)))

const halves = (bits: bigint): bigint[] => [bits >> 16n, bits & 0xffffn]
