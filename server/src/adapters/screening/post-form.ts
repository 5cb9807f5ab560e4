import { request } from 'undici'
import { splitLogin } from '../../platform/base/url-login.ts'
import { describeConnectionError, isWebPage } from '../connection-errors.ts'
import { ScreeningUnavailable } from './port.ts'

const MOST_BYTES = 1024 * 1024

/** Posts a form and returns the JSON of an answer with status 200. Errors contain neither the URL nor the form. */
export const postForm = async (
  url: string,
  fields: Readonly<Record<string, string>>,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Promise<unknown> => {
  const text = await exchange(url, fields, timeoutMs).catch((error: unknown) => {
    const why = error instanceof ScreeningUnavailable ? error.message : `no answer: ${describeConnectionError(error)}`
    throw new ScreeningUnavailable(`${name}: ${why}`)
  })
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ScreeningUnavailable(
      `${name}: ${isWebPage(text) ? 'it answered with a web page, not with JSON: check its url' : 'it answered with data that is not JSON'}`,
    )
  }
}

const exchange = async (url: string, fields: Readonly<Record<string, string>>, timeoutMs: number): Promise<string> => {
  const { url: place, headers: login } = splitLogin(url)
  const answer = await request(place, {
    method: 'POST',
    headers: { ...login, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(fields).toString(),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new ScreeningUnavailable('its answer is over 1 MiB')
    chunks.push(chunk)
  }
  if (answer.statusCode !== 200) throw new ScreeningUnavailable(`it answered HTTP ${answer.statusCode}`)
  return Buffer.concat(chunks).toString('utf8')
}
