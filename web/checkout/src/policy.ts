import { hash } from 'node:crypto'

export interface Allowed {
  style: string
  script: string | undefined
  /** the source of the one picture that the page loads */
  picture: string | undefined
  /** the one foreign host to which a form may be posted */
  formTo: string | undefined
}

/**
 * Returns the content security policy of a page: its own style and script by their hashes, its own origin, and one host
 * to post to.
 */
export const policyOf = ({ style, script, picture, formTo }: Allowed): string =>
  [
    "default-src 'none'",
    `style-src '${sourceOf(style)}'`,
    ...(script === undefined ? [] : [`script-src '${sourceOf(script)}'`, "connect-src 'self'"]),
    picture === undefined || picture.startsWith('data:') ? 'img-src data:' : "img-src 'self' data:",
    `form-action 'self'${formTo === undefined ? '' : ` ${formTo}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

const sources = new Map<string, string>()
const MOST_CACHED = 500

const sourceOf = (text: string): string => {
  let source = sources.get(text)
  if (source === undefined) {
    source = `sha256-${hash('sha256', text, 'base64')}`
    if (sources.size >= MOST_CACHED) sources.clear()
    sources.set(text, source)
  }
  return source
}

/**
 * Headers of every page: no caching by others, no framing. There is no cross-origin-opener-policy on purpose. The page
 * knows its reader by the link alone, so an opener learns nothing beyond the link. A shop may open the page in a window
 * and see that the window was closed. With that header, browsers may change processes before they paint, which delays
 * the page (decision 28).
 */
export const headersOf = (policy: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
  vary: 'accept-language',
})
