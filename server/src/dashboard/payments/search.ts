import { checksumAddress } from '@bursar/chainkit/evm'
import { isUuid } from '../../platform/base/id.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'

/** The field that has the searched text, in the spelling in which it is stored. */
export type Sought =
  | { by: 'meta'; text: string }
  | { by: 'id'; text: string }
  | { by: 'email'; text: string; stored: string }
  | { by: 'hash'; text: string }
  | { by: 'address'; text: string }

const HASH = /^(0x)?[0-9a-f]{64}$/i
const EVM = /^0x[0-9a-f]{40}$/i
const BECH32 = /^(bc|tb|bcrt)1[0-9a-z]{11,87}$/i
/** TRON, and the older addresses of Bitcoin: base58 with a letter. */
const BASE58 = /^(?=.*[A-Za-z])(T[1-9A-HJ-NP-Za-km-z]{33}|[123mn][1-9A-HJ-NP-Za-km-z]{25,34})$/

/**
 * Lists the fields that may have a searched text, by its form. Each entry costs a few queries, so a text that can only
 * be a hash or an address is searched as that alone. An identifier or a mail address may also be the merchant's `meta`.
 */
export const soughtBy = (text: string): readonly Sought[] => {
  if (HASH.test(text)) return [{ by: 'hash', text: text.toLowerCase() }]
  if (EVM.test(text)) return [{ by: 'address', text: checksumAddress(text) }]
  if (BECH32.test(text)) return [{ by: 'address', text: text.toLowerCase() }]
  if (BASE58.test(text)) return [{ by: 'address', text }]
  const meta = { by: 'meta', text } as const
  if (isUuid(text.toLowerCase())) return [{ by: 'id', text: text.toLowerCase() }, meta]
  const stored = mailAddress(text)
  return stored === undefined ? [meta] : [{ by: 'email', text, stored }, meta]
}
