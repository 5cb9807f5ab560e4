import { Resolver } from 'node:dns/promises'

/** Finds the addresses of a name, as text. Rejects when there are none. Called anew for every connection. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/**
 * Asks the configured name servers, without the system's resolver: that one runs in the process's four threads, where a
 * few names whose servers don't answer would hold up everything else. `localhost` is the loopback (RFC 6761 6.3).
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
