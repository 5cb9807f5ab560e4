import { request } from 'undici'
import { splitLogin } from '../../../platform/base/url-login.ts'
import { good, unknown, type Seen } from './finding.ts'

const TIMEOUT_MS = 10_000
/** `x-ratelimit-remaining`, `ratelimit-limit`, `x-rate-limit-…`, `retry-after`: there is no common standard. */
const TELLS = /rate-?limit|quota|retry-after|credits?-(left|remaining)/i

/** Remaining requests by the headers of an answer. A self-hosted node has no such headers. */
export const quotaOf = async (
  url: string,
  { path = '', body, headers = {} }: { path?: string; body: unknown; headers?: Record<string, string> },
): Promise<Seen> => {
  try {
    const { url: place, headers: login } = splitLogin(url)
    const { origin, pathname, search } = place
    const answer = await request(origin + pathname.replace(/\/$/, path === '' ? '/' : '') + path + search, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...login, ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await answer.body.dump()
    const named = Object.entries(answer.headers)
      .filter(([name]) => TELLS.test(name))
      .map(([name, value]) => `${name} ${String(value)}`)
    return good(named.length === 0 ? 'no header names one: a node of your own has none' : named.join(', '))
  } catch (error) {
    return unknown(`not asked: ${(error as NodeJS.ErrnoException).code ?? (error as Error).name}`)
  }
}
