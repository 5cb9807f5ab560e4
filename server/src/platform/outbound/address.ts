import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IP address in binary form. Only this form is checked, because one address has many spellings. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** Addresses that share their first `prefix` bits (RFC 4632, RFC 4291). */
export type Range = readonly [base: Address, prefix: number]

/**
 * Parses dotted decimal and IPv6 text; null for anything else, including zone ids. The library alone would also accept
 * `127.1` and `0x7f.1`, and treat `::127.0.0.1` as a mapped address. So IPv6 is first normalised to RFC 5952.
 */
export const parseAddress = (text: string): Address | null => {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  if (!isIPv6(text) || text.includes('%')) return null
  return ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1))
}

/** Parses a range such as `10.0.0.0/8`. Throws a RangeError for other text, and for bits set beyond the prefix. */
export const parseRange = (text: string): Range => {
  const [base = '', length = ''] = text.split('/')
  const address = parseAddress(base)
  const prefix = Number(length)
  if (!address || !/^\d{1,3}$/.test(length) || prefix > address.toByteArray().length * 8)
    throw new RangeError(`not a CIDR range: ${text}`)
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  if (kind.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString() !== address.toString())
    throw new RangeError(`${text} has bits set beyond its prefix`)
  return [address, prefix]
}

export const isIn = (address: Address, [base, prefix]: Range): boolean =>
  address.kind() === base.kind() && address.match(base, prefix)

/** The IPv4 address in the last 32 bits. */
export const lastFourBytes = (address: Address): Address => new ipaddr.IPv4(address.toByteArray().slice(-4))
