import { createHmac, timingSafeEqual } from 'node:crypto'
import { base32 } from './tokens.ts'

/** One-time codes of an authenticator app: RFC 6238 with SHA-1, 30 seconds and 6 digits, which every app supports. */
const STEP_MS = 30_000
const DIGITS = 6
/** Steps before and after the current one that are accepted, because clocks differ (RFC 6238, section 5.2). */
const SKEW = 1
/** As RFC 4226, section 4, recommends. */
export const SEED_BYTES = 20

/** @param step number of 30-second steps since the epoch */
export const codeOf = (seed: Uint8Array, step: number, digits = DIGITS): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

export const stepOf = (at: Date): number => Math.floor(at.getTime() / STEP_MS)

/** The step whose code was typed; undefined if it is none of the accepted ones. */
export const matchingStep = (seed: Uint8Array, typed: string, at: Date): number | undefined => {
  const code = typed.replaceAll(/\s/g, '')
  let found: number | undefined
  if (!/^\d{6}$/.test(code)) return undefined
  for (let step = stepOf(at) - SKEW; step <= stepOf(at) + SKEW; step += 1)
    if (timingSafeEqual(Buffer.from(codeOf(seed, step)), Buffer.from(code))) found = step
  return found
}

/** The link that an authenticator app reads from a QR code. */
export const setUpUri = (issuer: string, account: string, seed: Uint8Array): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${base32(seed)}&issuer=${encodeURIComponent(issuer)}`
