import { request } from 'undici'
import { parseJsonDigits } from '../json-digits.ts'
import type { Limited } from '../rests.ts'

const TIMEOUT_MS = 5_000
const MOST_BYTES = 1024 * 1024

/** A source answered with another status than 200. */
export class SourceStatus extends Error {
  override name = 'SourceStatus'
  readonly limited: Limited

  constructor(source: string, limited: Limited) {
    super(`${source} answered HTTP ${limited.status}`)
    this.limited = limited
  }
}

/**
 * What a source answers with status 200, as text. Nothing is followed, five seconds are enough.
 * @param name stands in errors instead of the address, which may hold a key
 */
export const getText = async (url: string, name: string): Promise<string> => {
  const answer = await request(url, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: 'application/json, application/xml;q=0.9' },
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

/** JSON with every number as it was written: a price read as a float has lost digits already. */
export const getJson = async (url: string, name: string): Promise<unknown> => {
  const text = await getText(url, name)
  try {
    return parseJsonDigits(text)
  } catch {
    throw new Error(`${name} answered what is no JSON`)
  }
}
