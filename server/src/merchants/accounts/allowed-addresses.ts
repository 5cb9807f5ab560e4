import { isIn, parseAddress, parseRange, type Range } from '../../platform/outbound/address.ts'

/** The most ranges of one key. */
const MOST_RANGES = 20

/**
 * Reads typed addresses and CIDR ranges, separated by spaces, commas or semicolons, such as `192.0.2.7, 2001:db8::/32`.
 * @returns ranges, each once; undefined when one is invalid, or when there are too many
 */
export const readRanges = (typed: string): string[] | undefined => {
  const words = typed.split(/[\s,;]+/).filter((word) => word !== '')
  const ranges = words.map(rangeOf)
  const valid = [...new Set(ranges.filter((range) => range !== undefined))]
  return valid.length <= MOST_RANGES && !ranges.includes(undefined) ? valid : undefined
}

const rangeOf = (word: string): string | undefined => {
  const address = parseAddress(word)
  try {
    const [base, prefix] = parseRange(address ? `${word}/${address.toByteArray().length * 8}` : word)
    // A request by IPv4 is compared as IPv4: no address would ever be in such a range.
    return isMapped(base) ? undefined : `${base.toString()}/${prefix}`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const isMapped = (address: Range[0]): boolean => 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress()

/**
 * Returns a function that says whether an address is in one of the ranges; without ranges every address is. An IPv4
 * address that is mapped into IPv6 counts as IPv4. Other text than an address is in no range.
 * @param ranges as `readRanges` returned them
 */
export const allowedBy = (ranges: readonly string[]): ((address: string) => boolean) => {
  if (ranges.length === 0) return () => true
  const parsed = ranges.map(parseRange)
  return (text) => {
    const address = parseAddress(text)
    if (!address) return false
    const plain = 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
    return parsed.some((range) => isIn(plain, range))
  }
}
