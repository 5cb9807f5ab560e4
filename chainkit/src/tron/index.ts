/** TRON: addresses and keys, the kinds of transaction we make, TRC-20, and what transactions cost. */
export {
  addressOfEvmForm,
  addressOfHex,
  addressOfPublicKey,
  evmFormOf,
  hexOfAddress,
  parseAddress,
} from './address.ts'
export type { AddressRefusal } from './address.ts'
export { accountPath, deriveAddress } from './derivation.ts'
export type { Contract, ContractKind } from './contract.ts'
export type { Resource } from './message.ts'
export { parseUnsigned, referenceTo, serializeUnsigned, signingHash, transactionId } from './transaction.ts'
export type { BlockReference, TransactionRefusal, UnsignedTransaction } from './transaction.ts'
export { parseSigned, serializeSigned } from './signed.ts'
export type { SignedTransaction } from './signed.ts'
export { decodeTokenTransfer, decodeTokenTransferLog, encodeTokenBalanceOf, encodeTokenTransfer } from './trc20.ts'
export type { TokenTransfer } from './trc20.ts'
export { decodeIssuerLog } from './issuer.ts'
export { bandwidthOf } from './size.ts'
export { burnOf, feeLimitFor, mostBurntBy } from './fee.ts'
export type { Burn, Prices, Resources, Usage } from './fee.ts'
export { MAX_LIFETIME_MS, REBUILD_AFTER_MS, mayRebuild } from './expiry.ts'
