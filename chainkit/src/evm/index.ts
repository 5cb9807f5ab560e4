/** EVM chains: their common addresses and keys, ERC-20, the types of transaction that we make, and sweeps. */
export { addressOfPublicKey, checksumAddress, parseAddress } from './address.ts'
export type { AddressRefusal } from './address.ts'
export { authorityOf, authorizationHash, authorizationNonce } from './authorization.ts'
export type { Authorization, SignedAuthorization } from './authorization.ts'
export { chooseSweep } from './choose-sweep.ts'
export type { Holding, SweepAddress, SweepChoice, SweepPrices, SweepWay } from './choose-sweep.ts'
export { CREATE2_DEPLOYER, create2Address, delegateOfCode, sweepContracts } from './contracts.ts'
export type { PinnedContract, SweepContracts } from './contracts.ts'
export { accountPath, deriveAddress } from './derivation.ts'
export {
  DECIMALS_CALL,
  MAX_UINT256,
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
export { createKnownSigner } from './known-signer.ts'
export type { RecoverSigner } from './known-signer.ts'
export { raisedPrice, replaceAtHigherPrice } from './replacement.ts'
export type { Prices } from './replacement.ts'
export { relayTransfers } from './relay-call.ts'
export type { SignedTransfer, TransferCall } from './relay-call.ts'
export {
  authoritiesOf,
  parseDraft,
  parseSignedSetCode,
  serializeDraft,
  serializeSignedSetCode,
  serializeUnsignedSetCode,
  setCodeSigningHash,
} from './set-code.ts'
export type { SetCodeDraft, SetCodeTransaction, SignedSetCode } from './set-code.ts'
export { parseSigned, serializeSigned, transactionHash } from './signed.ts'
export type { Signature, SignedTransaction } from './signed.ts'
export { COIN, groupSweeps, sweepMany, sweepOne } from './sweep-call.ts'
export type { SweepGroup } from './sweep-call.ts'
export { decodeCoinSwept, decodeSweepLog } from './sweep-log.ts'
export type { SweepEvent } from './sweep-log.ts'
export { CLEARED, dearerBy, FIAT_TOKEN_GAS, PAYMENT_GAS, TETHER_GAS } from './sweep-gas.ts'
export type { Gas, TokenGas } from './sweep-gas.ts'
export { parseUnsigned, serializeUnsigned, signingHash } from './transaction.ts'
export type { Eip1559Transaction, LegacyTransaction, TransactionRefusal, UnsignedTransaction } from './transaction.ts'
export { domainSeparator, transferDigest } from './typed-data.ts'
export type { TokenDomain, TransferAuthorization } from './typed-data.ts'
export type { Call } from './words.ts'
