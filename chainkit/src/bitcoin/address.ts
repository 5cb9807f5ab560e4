import { base58, bech32, bech32m } from '@scure/base'
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { CHAIN_PARAMETERS } from './chain.ts'
import type { BitcoinChain } from './chain.ts'
import { readScript, sameBytes, writeScript } from './script.ts'
import type { ScriptType } from './script.ts'

/**
 * Why a text is not an address of this chain. `checksum`: one or more characters are wrong. `network`: a valid address
 * of another chain or coin. `format`: not an address, or a type that can't be paid safely (future witness version, key
 * not on the curve).
 */
export type AddressRefusal = 'checksum' | 'network' | 'format'

export interface ParsedAddress {
  /** The canonical text of the address: segwit in lower case, base58 as it is */
  address: string
  script: Uint8Array
  type: ScriptType
}

const CHECKSUM_BYTES = 4
const HASH_BYTES = 20
/** Maximum length of a segwit address (BIP 173). */
const MAX_LENGTH = 90
const SEGWIT_SHAPE = /^([a-z]{1,10})1([02-9ac-hj-np-z]{6,})$/
const BITCOIN_HRPS = Object.values(CHAIN_PARAMETERS).map(({ hrp }) => hrp)

/** Reads an address as a payer typed it. Never throws. Source: BIP 141, 173, 341, 350; base58check. */
export function parseAddress(text: string, chain: BitcoinChain): ParsedAddress | Refused<AddressRefusal> {
  if (text.length > MAX_LENGTH) return refuse('format', 'An address has at most 90 characters')
  const lower = text.toLowerCase()
  const segwit = text === lower || text === text.toUpperCase() ? SEGWIT_SHAPE.exec(lower) : null
  if (segwit) {
    const decoded = bech32.decodeUnsafe(lower) ?? bech32m.decodeUnsafe(lower)
    if (decoded) return parseSegwit(lower, decoded.prefix, decoded.words, chain)
    if (BITCOIN_HRPS.includes(segwit[1]!)) return refuse('checksum', 'A character of this address is wrong')
  }
  return parseBase58(text, chain)
}

function parseSegwit(
  text: string,
  hrp: string,
  words: number[],
  chain: BitcoinChain,
): ParsedAddress | Refused<AddressRefusal> {
  if (hrp !== CHAIN_PARAMETERS[chain].hrp) return refuse('network', `This address is not one of Bitcoin ${chain}`)
  const version = words[0]
  const program = bech32.fromWordsUnsafe(words.slice(1))
  if (version === undefined || !program) return refuse('format', 'The witness program of this address is malformed')
  const encoding = version === 0 ? bech32 : bech32m
  if (!encoding.decodeUnsafe(text)) return refuse('checksum', 'The checksum is of the wrong kind for this address')
  const type = witnessType(version, program)
  if (!type) return refuse('format', `Addresses of witness version ${version}, ${program.length} bytes, are not paid`)
  return { address: text, script: writeScript(type, program), type }
}

function witnessType(version: number, program: Uint8Array): ScriptType | undefined {
  if (version === 0 && program.length === 20) return 'p2wpkh'
  if (version === 0 && program.length === 32) return 'p2wsh'
  if (version === 1 && program.length === 32 && isOnCurve(program)) return 'p2tr'
  return undefined
}

/** A taproot output whose key is not on the curve can be paid but never spent (BIP 341). */
function isOnCurve(xOnly: Uint8Array): boolean {
  try {
    schnorr.utils.lift_x(bytesToNumberBE(xOnly))
    return true
  } catch {
    return false
  }
}

function parseBase58(text: string, chain: BitcoinChain): ParsedAddress | Refused<AddressRefusal> {
  const bytes = decodeBase58(text)
  if (bytes?.length !== 1 + HASH_BYTES + CHECKSUM_BYTES) return refuse('format', 'This text is not a Bitcoin address')
  const payload = bytes.slice(0, -CHECKSUM_BYTES)
  const checksum = sha256(sha256(payload)).slice(0, CHECKSUM_BYTES)
  if (!sameBytes(checksum, bytes.slice(-CHECKSUM_BYTES))) {
    return refuse('checksum', 'A character of this address is wrong')
  }
  const { publicKeyHash, scriptHash } = CHAIN_PARAMETERS[chain]
  const hash = payload.slice(1)
  if (payload[0] === publicKeyHash) return { address: text, script: writeScript('p2pkh', hash), type: 'p2pkh' }
  if (payload[0] === scriptHash) return { address: text, script: writeScript('p2sh', hash), type: 'p2sh' }
  return refuse('network', `This address is not one of Bitcoin ${chain}`)
}

function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the canonical address that pays this script, or undefined when it has none (data, bare multisig, unknown).
 */
export function addressOf(script: Uint8Array, chain: BitcoinChain): string | undefined {
  const read = readScript(script)
  if (!read) return undefined
  const { hrp, publicKeyHash, scriptHash } = CHAIN_PARAMETERS[chain]
  switch (read.type) {
    case 'p2pkh':
      return encodeBase58(publicKeyHash, read.hash)
    case 'p2sh':
      return encodeBase58(scriptHash, read.hash)
    case 'p2tr':
      return bech32m.encode(hrp, [1, ...bech32m.toWords(read.hash)])
    default:
      return bech32.encode(hrp, [0, ...bech32.toWords(read.hash)])
  }
}

function encodeBase58(version: number, hash: Uint8Array): string {
  const payload = Uint8Array.from([version, ...hash])
  return base58.encode(Uint8Array.from([...payload, ...sha256(sha256(payload)).slice(0, CHECKSUM_BYTES)]))
}
