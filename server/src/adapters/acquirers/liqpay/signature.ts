import { createHash } from 'node:crypto'
import { sameText } from '../same-text.ts'

/**
 * How LiqPay signs `data`: base64 of a hash over private key, data and private key. Version 3 of the protocol uses
 * SHA-1 (liqpay.ua/documentation/en/data_signature), version 7 SHA3-256 (liqpay.ua/en/doc/api, read 2026-11-21).
 */
export type LiqPayVersion = 3 | 7

const ALGORITHM: Record<LiqPayVersion, string> = { 3: 'sha1', 7: 'sha3-256' }

export const signLiqPay = (version: LiqPayVersion, privateKey: string, data: string): string =>
  createHash(ALGORITHM[version])
    .update(privateKey + data + privateKey)
    .digest('base64')

/**
 * Whether a callback's signature is LiqPay's in either version: sources disagree about which version a callback uses,
 * and both need the private key. Both are always computed and compared.
 */
export const isLiqPaySignature = (privateKey: string, data: string, signature: string): boolean => {
  const isThree = sameText(signature, signLiqPay(3, privateKey, data))
  const isSeven = sameText(signature, signLiqPay(7, privateKey, data))
  return isThree || isSeven
}
