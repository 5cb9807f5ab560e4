import type { MerchantSettings } from '../../merchants/accounts/index.ts'
import { formRefusal } from './refusal.ts'

/**
 * Parses the payer's destination after payment, in the spelling that browsers use: http or https, without user name and
 * password, which only serve to deceive. Refuses everything else by name.
 */
export const readRedirect = (text: string): string => read(text).href

/** Whether `readRedirect` accepts the text. */
export const isRedirect = (text: string): boolean => parsed(text) instanceof URL

/** The same for a form, which anyone can write: https only, on a host that the merchant's settings list. */
export const readFormRedirect = (text: string, { redirectHosts }: Pick<MerchantSettings, 'redirectHosts'>): string => {
  const url = read(text)
  if (url.protocol !== 'https:') throw formRefusal('redirectUrl in a form must start with https://', 'redirectUrl')
  if (url.port !== '' || !redirectHosts.includes(url.hostname)) {
    throw formRefusal(
      `redirectUrl must be on a host in the merchant's settings, on the standard port; ${JSON.stringify(url.host)} is not`,
      'redirectUrl',
    )
  }
  return url.href
}

const ALLOWED = new Set(['http:', 'https:'])
// Characters that a browser removes or replaces before it parses an address: with any of them, the text is not what it
// looks like.
const DECEIVING = /[\p{Cc}\p{Z}\ufeff\\]/u
const PLAIN = /^https?:\/\/[^/]/i

const read = (text: string): URL => {
  const url = parsed(text)
  if (typeof url === 'string') throw formRefusal(url, 'redirectUrl')
  return url
}

/** @returns the URL, or what is wrong with it */
const parsed = (text: string): URL | string => {
  const url = !DECEIVING.test(text) && PLAIN.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !ALLOWED.has(url.protocol) || url.hostname === '')
    return 'redirectUrl must be an http or https URL such as https://shop.example/thanks'
  return url.username !== '' || url.password !== '' ? 'redirectUrl must not hold a user name or password' : url
}
