import { domainToASCII } from 'node:url'

const LONGEST = 254
const LONGEST_LOCAL = 64
/** A dot-atom (RFC 5322): what every mail server takes, and nothing that has a meaning in a header. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** As typed, before it is put into ASCII, which would take out line ends and undo percent signs. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/**
 * An address that mail can be sent to, its domain in lower case and ASCII, or undefined. Quoted local parts, literal IP
 * addresses, lists, names and comments are not taken: nothing a payer types may reach a header but one plain address.
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

/** Whose mailbox an address is, for counting: case and what follows a `+` make no other. */
export const mailboxOf = (address: string): string => {
  const [local = '', domain = ''] = address.toLowerCase().split('@')
  return `${local.replace(/(?<=.)\+.*$/, '')}@${domain}`
}

/** An address as a log may hold it: `j***@example.com`. */
export const maskAddress = (address: string): string => address.replace(/^(.)[^@]*@/, '$1***@')
