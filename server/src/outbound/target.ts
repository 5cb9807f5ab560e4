import { OutboundFailure } from './failure.ts'

/** Where a request goes, in the parts that go on the wire. */
export interface Target {
  origin: string
  /** the Host header: with the port unless it is the scheme's default */
  host: string
  /** path and query, percent-encoded as sent */
  path: string
}

/**
 * Reads a URL the way it will be requested. Throws `OutboundFailure` with `bad-url`, never quoting the URL, which may hold
 * a password.
 */
export const targetOf = (url: string, { allowHttp }: { allowHttp: boolean }): Target => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new OutboundFailure('bad-url', 'not an http or https URL')
  if (parsed.protocol === 'http:' && !allowHttp) throw new OutboundFailure('bad-url', 'the URL must begin with https://')
  if (parsed.username !== '' || parsed.password !== '') {
    throw new OutboundFailure('bad-url', 'the URL must not hold a user name or a password')
  }
  return { origin: parsed.origin, host: parsed.host, path: parsed.pathname + parsed.search }
}

const MOST_KEPT = 10_000

/** `targetOf` that keeps what it has read. */
export const createTargets = (settings: { allowHttp: boolean }): ((url: string) => Target) => {
  const kept = new Map<string, Target>()
  return (url) => {
    let target = kept.get(url)
    if (!target) {
      target = targetOf(url, settings)
      if (kept.size >= MOST_KEPT) kept.clear()
      kept.set(url, target)
    }
    return target
  }
}
