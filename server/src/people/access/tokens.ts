import { createHash } from 'node:crypto'
import type { Secrets } from './now.ts'

const TOKEN_BYTES = 32

/** A secret of a cookie or a link. The database has only its hash. */
export const newToken = (random: Secrets['random']): string => random(TOKEN_BYTES).toString('base64url')

/** SHA-256: a token has 256 random bits, so a slow hash would add nothing. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding (RFC 4648, section 6). */
export const base32 = (bytes: Uint8Array): string => {
  let [bits, held, text] = [0, 0, '']
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET[(held >>> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text
}

const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** Ten recovery codes of 80 random bits, as `ABCD-EFGH-IJKL-MNOP`. */
export const newRecoveryCodes = (random: Secrets['random']): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => base32(random(RECOVERY_BYTES)).replaceAll(/.{4}(?=.)/g, '$&-'))

/** The hash of a recovery code as typed: case, spaces and hyphens do not matter. */
export const recoveryHashOf = (typed: string): Buffer => hashOf(typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
