import { BlockList, isIPv6 } from 'node:net'
import type { Report } from './doctor-acquirers.ts'
import type { Opened } from '../installation/open.ts'

type Exposed = Pick<
  Opened['config'],
  'http' | 'publicUrl' | 'trustedProxies' | 'outboundAllow' | 'httpWebhooks' | 'sandbox'
>

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || loopback.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
}

/** Reports settings that are unsafe on a machine that others can reach. */
export const reportExposure = (
  { http, publicUrl, trustedProxies, outboundAllow, httpWebhooks, sandbox }: Exposed,
  report: Report,
): void => {
  const { protocol, hostname } = new URL(publicUrl)
  const isPublic = !isLoopback(hostname)
  const hasProxy = isLoopback(http.host) && isPublic
  report(
    !hasProxy || trustedProxies.length > 0,
    hasProxy && trustedProxies.length === 0
      ? "proxy: BURSAR_HTTP listens on this machine only, so a proxy stands before it, and BURSAR_TRUSTED_PROXIES is empty: all payers share one limit. Set it to the proxy's address, such as 127.0.0.1"
      : `proxy: ${trustedProxies.length === 0 ? 'none is trusted' : `X-Forwarded-For is trusted from ${trustedProxies.join(', ')}`}`,
  )
  report(
    !isPublic || protocol === 'https:',
    `public address: ${publicUrl}${isPublic && protocol !== 'https:' ? ' is plain HTTP: payers and acquirers must reach it by https' : ''}`,
  )
  const everywhere = outboundAllow.filter((range) => range.endsWith('/0'))
  report(
    everywhere.length === 0,
    everywhere.length === 0
      ? `webhooks: private addresses ${outboundAllow.length === 0 ? 'are refused' : `are allowed in ${outboundAllow.join(', ')}`}`
      : `webhooks: BURSAR_OUTBOUND_ALLOW has ${everywhere.join(', ')}: merchants could make Bursar send requests to your own machines. List single networks`,
  )
  report(
    !httpWebhooks || sandbox,
    `webhooks: ${httpWebhooks ? 'plain http:// is allowed by BURSAR_HTTP_WEBHOOKS: they are not encrypted on the network' : 'https only'}`,
  )
}
