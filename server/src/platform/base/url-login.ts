import { unescape as decodePercents } from 'node:querystring'

/**
 * Splits the user and password off an http(s) URL of the settings, because clients of HTTP drop them. A `%` that
 * encodes nothing stands for itself, as in browsers.
 * @returns the URL without them, and the header of basic authentication that has them; no header if there are none
 */
export const splitLogin = (text: string): { url: URL; headers: Record<string, string> } => {
  const url = new URL(text)
  const [user, password] = [url.username, url.password].map(decodePercents)
  url.username = ''
  url.password = ''
  if (user === '' && password === '') return { url, headers: {} }
  return { url, headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` } }
}
