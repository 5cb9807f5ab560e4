import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { addressWord, uintWord } from './erc20.ts'
import { fromHex, toHex } from './hex.ts'
import type { Hex } from './hex.ts'

/** The EIP-712 domain of a token's signatures: one contract on one chain. */
export interface TokenDomain {
  /** as the contract reports it, such as `USD Coin` */
  name: string
  /** as the contract reports it, such as `2` */
  version: string
  chainId: bigint
  contract: Hex
}

/** EIP-3009, with `validAfter` 0. */
export interface TransferAuthorization {
  from: Hex
  to: Hex
  /** token base units */
  units: bigint
  /** seconds since the epoch */
  validBefore: bigint
  nonce: bigint
}

const hashText = (text: string): Uint8Array => keccak_256(utf8ToBytes(text))
const hashWords = (words: readonly string[]): string => toHex(keccak_256(fromHex(`0x${words.join('')}`))).slice(2)
const typeHash = (type: string): string => toHex(hashText(type)).slice(2)

const DOMAIN = typeHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
const TRANSFER_FIELDS = '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'
const TRANSFER = typeHash(`TransferWithAuthorization${TRANSFER_FIELDS}`)

/** The domain separator. Compare it with the token's `DOMAIN_SEPARATOR()` before signing. */
export const domainSeparator = ({ name, version, chainId, contract }: TokenDomain): Hex => {
  const [nameHash, versionHash] = [name, version].map((text) => toHex(hashText(text)).slice(2)) as [string, string]
  return `0x${hashWords([DOMAIN, nameHash, versionHash, uintWord(chainId), addressWord(contract)])}`
}

/** Digest that the sender of `transferWithAuthorization` signs (EIP-3009). */
export const transferDigest = (domain: TokenDomain, authorization: TransferAuthorization): Uint8Array => {
  const { from, to, units, validBefore, nonce } = authorization
  const words = [addressWord(from), addressWord(to), ...[units, 0n, validBefore, nonce].map(uintWord)]
  return digest(domain, hashWords([TRANSFER, ...words]))
}

const digest = (domain: TokenDomain, structHash: string): Uint8Array =>
  keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), fromHex(domainSeparator(domain)), fromHex(`0x${structHash}`)))
