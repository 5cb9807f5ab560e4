import { addressWord, uintWord } from './erc20.ts'
import type { Hex } from './hex.ts'
import type { Signature } from './signed.ts'
import { WORD, callOf, listWords } from './words.ts'
import type { Call, Words } from './words.ts'

/** A transfer to the treasury that its sender has signed or will sign (EIP-3009). */
export interface SignedTransfer {
  /** EIP-55 */
  from: Hex
  /** token base units */
  units: bigint
  /** unique per sender; small values cost less call data */
  nonce: bigint
  /** undefined in a draft */
  signature?: Signature
}

export interface TransferCall {
  token: Hex
  /** seconds since the epoch */
  validBefore: bigint
  transfers: SignedTransfer[]
}

const PARITY = 2n ** 255n
const SIGNATURE_WORDS = 2
/** Byte offset of the list, after two fixed arguments and the list's own offset. */
const LIST_AT = 3 * WORD

/** `transferAll` (SweepRelay.sol). In a draft the signatures are zeros. */
export const relayTransfers: Call<TransferCall> = callOf(
  'transferAll(address,uint256,(address,uint256,bytes32,bytes32,bytes32)[])',
  ({ token, validBefore, transfers }) =>
    head(token, validBefore) +
    listWords(
      transfers.map(
        ({ from, units, nonce, signature }) =>
          addressWord(from) + uintWord(units) + uintWord(nonce) + signatureWords(signature),
      ),
    ),
  (words) => ({
    token: words.address(0),
    validBefore: words.uint(WORD),
    transfers: readList(words, 3 + SIGNATURE_WORDS, (at) => ({
      from: words.address(at),
      units: words.uint(at + WORD),
      nonce: words.uint(at + 2 * WORD),
      ...readSignature(words, at + 3 * WORD),
    })),
  }),
)

const head = (token: Hex, time: bigint): string => addressWord(token) + uintWord(time) + uintWord(BigInt(LIST_AT))

const readList = <Item>(words: Words, itemWords: number, read: (at: number) => Item): Item[] =>
  Array.from({ length: words.size(LIST_AT) }, (_, index) => read(LIST_AT + WORD * (1 + itemWords * index)))

/** EIP-2098: the parity is the highest bit of s, which a low s leaves free. */
const signatureWords = (signature: Signature | undefined): string => {
  const { r, s, yParity } = signature ?? { r: 0n, s: 0n, yParity: 0 }
  if (s >= PARITY) throw new RangeError('a signature has a high s')
  return uintWord(r) + uintWord(s + (yParity === 1 ? PARITY : 0n))
}

const readSignature = (words: Words, at: number): { signature?: Signature } => {
  const [r, vs] = [words.uint(at), words.uint(at + WORD)]
  if (r === 0n && vs === 0n) return {}
  return { signature: { r, s: vs % PARITY, yParity: vs >= PARITY ? 1 : 0 } }
}
