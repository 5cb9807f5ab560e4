import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the network address that a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string

const ATTACHED_IPV4 = /^::ffff:(?=\d+\.)/i

/**
 * Returns the address of the connection. If that is a trusted proxy, returns the last address in X-Forwarded-For that
 * is not one. Proxies append to that header, so the client's own value comes first and is never trusted. A proxy
 * may add a port. An entry that is no address is not trusted either: the address of the proxy that added it is
 * returned.
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
    const hops = typeof forwarded === 'string' ? forwarded.split(',').filter((hop) => hop.trim() !== '') : []
    let address = plain(request)
    while (isProxy(address)) {
      const hop = addressIn(hops.pop())
      if (hop === undefined) break
      address = hop
    }
    return address
  }
}

/**
 * Parses `IPV4`, `IPV4:PORT`, `IPV6`, `[IPV6]` or `[IPV6]:PORT`, as proxies write them; undefined for anything else.
 */
const addressIn = (hop: string | undefined): string | undefined => {
  const { v4, v6, bare } =
    /^(?:(?<v4>[\d.]+)(?::\d{1,5})?|\[(?<v6>[\da-f:.]+)\](?::\d{1,5})?|(?<bare>[\da-f:.]+))$/i.exec(hop?.trim() ?? '')
      ?.groups ?? {}
  const address = (v4 ?? v6 ?? bare)?.replace(ATTACHED_IPV4, '')
  return address !== undefined && isIP(address) !== 0 ? address : undefined
}

/** The subject of limits for a network address: of IPv6 the /64, because a site can use any of its addresses. */
export const subjectOf = (address: string): string => {
  if (!isIPv6(address)) return address
  return ipaddr.IPv6.parse(address.split('%')[0]!)
    .parts.slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}
