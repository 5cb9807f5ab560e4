import { createHash } from 'node:crypto'
import { isRefused } from '@bursar/chainkit'
import { authoritiesOf, parseSignedSetCode, serializeDraft, toHex } from '@bursar/chainkit/evm'
import type { Hex, SetCodeDraft } from '@bursar/chainkit/evm'
import { signSetCode } from '@bursar/chainkit/signing'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { KeyReference } from '../../protocol/protocol.ts'

/** Identifies unsigned bytes. Together with the keys they determine the signed transaction. */
export function signingId(unsigned: Uint8Array): string {
  return createHash('sha256').update(unsigned).digest('hex')
}

/**
 * Signs the authorisations, then the transaction, then parses the signed bytes and throws unless they are those that
 * were judged.
 * @param keys of the sender, then of the authorising addresses, then of others
 */
export function signDelegation(
  draft: SetCodeDraft,
  keyring: Keyring,
  keys: readonly KeyReference[],
  addresses: readonly Hex[],
): ReturnType<Judgement['sign']> {
  const count = draft.authorizations.length
  const { raw, hash } = keyring.withEvmKeys(keys.slice(0, 1 + count), ([sender, ...authorities]) =>
    signSetCode(draft, authorities, sender!),
  )
  const parsed = parseSignedSetCode(raw)
  const isTheSame =
    !isRefused(parsed) &&
    parsed.from === addresses[0] &&
    authoritiesOf(parsed.transaction).join() === addresses.slice(1, 1 + count).join() &&
    Buffer.compare(serializeDraft(parsed.transaction), serializeDraft(draft)) === 0
  if (!isTheSame) throw new Error('The signed transaction is not the one that was judged')
  return { signed: toHex(raw), hash }
}
