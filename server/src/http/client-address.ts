import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'

/** Says which network address a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string

const ATTACHED_IPV4 = /^::ffff:(?=\d+\.)/i

/**
 * The address of the connection; when that is a trusted proxy, the last address in X-Forwarded-For that is not one. What a
 * client writes there itself stands before what the proxies add, so it is never believed.
 * @param trusted CIDR ranges
 */
export const createClientAddress = (trusted: readonly string[]): ClientAddress => {
  const plain = (request: IncomingMessage): string => (request.socket.remoteAddress ?? '').replace(ATTACHED_IPV4, '')
  if (trusted.length === 0) return plain
  const proxies = new BlockList()
  for (const range of trusted) {
    const [address = '', prefix = ''] = range.split('/')
    proxies.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  const isProxy = (address: string): boolean => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return (request) => {
    const forwarded = request.headers['x-forwarded-for']
    const hops = typeof forwarded === 'string' ? forwarded.split(',').map((hop) => hop.trim().replace(ATTACHED_IPV4, '')).filter((hop) => hop !== '') : []
    let address = plain(request)
    while (hops.length > 0 && isProxy(address)) address = hops.pop()!
    return address
  }
}

/** Whom a network address stands for: a site has a whole /64 of IPv6 addresses to choose from. */
export const subjectOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [before = '', after] = address.split('%')[0]!.split('::')
  const front = before.split(':').filter((group) => group !== '')
  const back = (after ?? '').split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  return [...front, ...zeros, ...back].slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, '')).join(':')
}
