import { Resolver } from 'node:dns/promises'

/** Resolves a name to addresses, as text. Rejects when there are none. Called for every connection. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/**
 * Creates a lookup that queries the configured name servers directly. The system's resolver uses the four threads of
 * the process, so that a few names with unresponsive servers would block everything else. `localhost` is the loopback
 * (RFC 6761 6.3).
 */
export const createDnsLookup = (): Lookup => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    if (/^(.+\.)?localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1']
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [...(v4.status === 'fulfilled' ? v4.value : []), ...(v6.status === 'fulfilled' ? v6.value : [])]
    if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error(`${hostname} has no address`)
    return found
  }
}
