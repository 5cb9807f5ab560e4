import { OutboundFailure } from './failure.ts'

/** The target of a request, in the parts that are sent. */
export interface Target {
  origin: string
  /** the Host header: with the port unless it is the scheme's default */
  host: string
  /** path and query, percent-encoded as sent */
  path: string
}

export interface TargetRules {
  allowHttp: boolean
  /** allowed ranges of ports, both ends inclusive; every port when absent */
  ports?: readonly { least: number; most: number }[] | undefined
}

const STANDARD_PORT: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * Parses a URL as it will be requested. Throws `OutboundFailure` with `bad-url`; the message never contains the URL,
 * which may contain a password.
 */
export const targetOf = (url: string, { allowHttp, ports }: TargetRules): Target => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new OutboundFailure('bad-url', 'not an http or https URL')
  if (parsed.protocol === 'http:' && !allowHttp)
    throw new OutboundFailure('bad-url', 'the URL must begin with https://')
  if (parsed.username !== '' || parsed.password !== '') {
    throw new OutboundFailure('bad-url', 'the URL must not hold a user name or a password')
  }
  const port = parsed.port === '' ? STANDARD_PORT[parsed.protocol]! : Number(parsed.port)
  if (ports && !ports.some(({ least, most }) => port >= least && port <= most))
    throw new OutboundFailure('bad-url', `nothing is sent to port ${port}: see BURSAR_WEBHOOK_PORTS`)
  return { origin: parsed.origin, host: parsed.host, path: parsed.pathname + parsed.search }
}

const MOST_CACHED = 10_000

/** `targetOf` with a cache. */
export const createTargets = (settings: TargetRules): ((url: string) => Target) => {
  const cached = new Map<string, Target>()
  return (url) => {
    let target = cached.get(url)
    if (!target) {
      target = targetOf(url, settings)
      if (cached.size >= MOST_CACHED) cached.clear()
      cached.set(url, target)
    }
    return target
  }
}
