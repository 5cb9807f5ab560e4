/** The proxy before the apis, as a merchant's client sees it, and its record of answers. */

interface Proxy {
  fetch: typeof globalThis.fetch
  /** base URLs of the apis, tried in this order */
  upstreams: string[]
  /** number of answers by status */
  statuses: Map<number, number>
  /** answers with 5xx, and requests without an answer */
  faults: string[]
}

/** A request that reached no api goes to the next one, as HAProxy does by default (`retry-on conn-failure`). */
export const createProxy = (upstreams: string[]): Proxy => {
  const proxy: Proxy = {
    upstreams,
    statuses: new Map(),
    faults: [],
    fetch: async (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      let refused: unknown
      for (const upstream of proxy.upstreams) {
        try {
          // A connection for each request: an idle one that its api closes meanwhile is no fault of the api.
          const response = await fetch(`${upstream}${pathname}${search}`, {
            ...init,
            headers: { ...(init?.headers as Record<string, string>), connection: 'close' },
          })
          proxy.statuses.set(response.status, (proxy.statuses.get(response.status) ?? 0) + 1)
          if (response.status >= 500)
            proxy.faults.push(`${pathname}: ${response.status} ${await response.clone().text()}`)
          return response
        } catch (error) {
          refused = error
          if (!isRefused(error)) break
        }
      }
      const cause = (refused as Error).cause ?? refused
      proxy.faults.push(`${pathname}: no answer, ${String(cause)}`)
      throw refused
    },
  }
  return proxy
}

const isRefused = (error: unknown): boolean =>
  ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED'
