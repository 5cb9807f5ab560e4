/** EVM chains: addresses and keys they share, ERC-20, and the two kinds of transaction we make. */
export { addressOfPublicKey, checksumAddress, parseAddress } from './address.ts'
export type { AddressRefusal } from './address.ts'
export { accountPath, deriveAddress } from './derivation.ts'
export {
  DECIMALS_CALL,
  TRANSFER_TOPIC,
  addressTopic,
  decodeTransfer,
  decodeTransferLog,
  decodeUint,
  encodeBalanceOf,
  encodeTransfer,
} from './erc20.ts'
export type { TokenTransfer } from './erc20.ts'
export { fromHex, isHex, toHex } from './hex.ts'
export type { Hex } from './hex.ts'
export { raisedPrice, replaceAtHigherPrice } from './replacement.ts'
export type { Prices } from './replacement.ts'
export { parseSigned, transactionHash } from './signed.ts'
export type { Signature, SignedTransaction } from './signed.ts'
export { parseUnsigned, serializeUnsigned, signingHash } from './transaction.ts'
export type { Eip1559Transaction, LegacyTransaction, TransactionRefusal, UnsignedTransaction } from './transaction.ts'
