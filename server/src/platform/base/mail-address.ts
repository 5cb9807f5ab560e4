import { domainToASCII, domainToUnicode } from 'node:url'

const LONGEST = 254
const LONGEST_LOCAL = 64
/** A dot-atom (RFC 5322): accepted by every mail server, and without special meaning in a header. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** Checked before the conversion to ASCII, which would remove line ends and decode percent signs. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/**
 * Returns a valid mail address with its domain in lower case and ASCII, or undefined. Quoted local parts, literal IP
 * addresses, lists, names and comments are refused: input of a payer must reach a header only as one plain address.
 */
export const mailAddress = (text: string): string | undefined => {
  const at = text.lastIndexOf('@')
  const [local, typed] = [text.slice(0, at), text.slice(at + 1)]
  if (!TYPED_DOMAIN.test(typed)) return undefined
  const domain = domainToASCII(typed)
  if (at < 1 || local.length > LONGEST_LOCAL || !LOCAL.test(local) || !DOMAIN.test(domain)) return undefined
  const address = `${local}@${domain}`
  return address.length > LONGEST ? undefined : address
}

/**
 * The forms in which one address may be stored: as it is typed; and, for a valid one, as `mailAddress` returns it and
 * with its domain in Unicode. Empty: the text can be no address, not even an invalid one that was once stored.
 */
export const addressForms = (typed: string): readonly string[] => {
  if (!/^[^\s@]+@[^\s@]+$/.test(typed)) return []
  const address = mailAddress(typed)
  if (address === undefined) return [typed]
  const at = address.lastIndexOf('@') + 1
  return [...new Set([typed, address, address.slice(0, at) + domainToUnicode(address.slice(at))])]
}

/** Domains of Gmail, of one mailbox each; it ignores dots (support.google.com/mail/answer/7436150). */
const GMAIL: readonly string[] = ['gmail.com', 'googlemail.com']

/** The mailbox of an address, for counting: case, a suffix after `+`, and dots of Gmail are ignored. */
export const mailboxOf = (address: string): string => {
  const [typed = '', domain = ''] = address.toLowerCase().split('@')
  const local = typed.replace(/(?<=.)\+.*$/, '')
  return GMAIL.includes(domain) ? `${local.replaceAll('.', '')}@${GMAIL[0]}` : `${local}@${domain}`
}

/** Masks an address for logs: `j***@example.com`. */
export const maskAddress = (address: string): string => address.replace(/^(.)[^@]*@/, '$1***@')
