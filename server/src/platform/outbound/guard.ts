import { isIn, lastFourBytes, parseAddress, parseRange, type Address, type Range } from './address.ts'

/** Returns why an address must not be connected to, or null when it may. Refuses text that is not an address. */
export type Guard = (address: string) => string | null

/**
 * Ranges that are not public according to IANA's special-purpose registries (IPv4: RFC 6890 and later; IPv6: RFC 6890,
 * 9637), and a metadata service on a public address.
 */
const REFUSED: readonly (readonly [range: string, reason: string])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by a carrier'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved for protocols'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['168.63.129.16/32', 'a metadata service'],
  ['2001::/23', 'reserved for protocols'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
]

/** The IPv6 space for global unicast. Outside it only the forms below, which contain an IPv4 address, are allowed. */
const GLOBAL_UNICAST = parseRange('2000::/3')
/** Addresses that represent the IPv4 address in their last 32 bits: RFC 4291 2.5.5.2, RFC 6052 2.1. */
const STANDS_FOR_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(parseRange)
/** Interface identifiers of ISATAP (RFC 5214 6.1), which contain an IPv4 address after any prefix. */
const ISATAP = ['00005efe', '02005efe']

/** @param allowed CIDR ranges that may be connected to although they aren't public: the sandbox's loopback */
export const createGuard = (allowed: readonly string[]): Guard => {
  const exceptions = allowed.map(parseRange)
  const refused = REFUSED.map(([range, reason]) => ({ range: parseRange(range), reason }))
  return (text) => {
    const address = parseAddress(text)
    if (!address) return 'not an address'
    const real = STANDS_FOR_IPV4.some((range) => isIn(address, range)) ? lastFourBytes(address) : address
    if (exceptions.some((range) => isIn(real, range))) return null
    return reasonAgainst(real, refused)
  }
}

const reasonAgainst = (address: Address, refused: readonly { range: Range; reason: string }[]): string | null => {
  const hit = refused.find(({ range }) => isIn(address, range))
  if (hit) return hit.reason
  if (address.kind() === 'ipv4') return null
  if (!isIn(address, GLOBAL_UNICAST)) return 'not global'
  const identifier = Buffer.from(address.toByteArray()).toString('hex', 8, 12)
  return ISATAP.includes(identifier) ? 'ISATAP' : null
}
