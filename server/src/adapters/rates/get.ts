import { request } from 'undici'
import { splitLogin } from '../../platform/base/url-login.ts'
import { parseJsonDigits } from '../json-digits.ts'
import type { Limited } from '../rests.ts'

const TIMEOUT_MS = 5_000
const MOST_BYTES = 1024 * 1024

/** A source answered with a status other than 200. */
export class SourceStatus extends Error {
  override name = 'SourceStatus'
  readonly limited: Limited

  constructor(source: string, limited: Limited) {
    super(`${source} answered HTTP ${limited.status}`)
    this.limited = limited
  }
}

/**
 * Returns the text of an answer with status 200. Redirects are not followed; the timeout is five seconds.
 * @param name used in errors instead of the URL, which may contain a key
 */
export const getText = async (url: string, name: string): Promise<string> => {
  const { url: place, headers: login } = splitLogin(url)
  const answer = await request(place, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { ...login, accept: 'application/json, application/xml;q=0.9' },
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Error(`${name} answered more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  if (answer.statusCode !== 200) {
    const retryAfter = answer.headers['retry-after']
    throw new SourceStatus(name, {
      status: answer.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    })
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns JSON with each number as text in its original digits, because a float loses digits of a price. */
export const getJson = async (url: string, name: string): Promise<unknown> => {
  const text = await getText(url, name)
  try {
    return parseJsonDigits(text)
  } catch {
    throw new Error(`${name} answered with data that is not JSON`)
  }
}
