/** Bitcoin: native segwit keys, addresses of all standard types, coin selection, payouts and their replacements. */
export { COINBASE_MATURITY, extendedKeyVersions, isBitcoinChain } from './chain.ts'
export type { BitcoinChain } from './chain.ts'
export { scriptTypeOf } from './script.ts'
export type { ScriptType } from './script.ts'
export { addressOf, parseAddress } from './address.ts'
export type { AddressRefusal, ParsedAddress } from './address.ts'
export { accountPath, deriveAddress, keyOrigin, p2wpkhScript } from './derivation.ts'
export type { Branch, DerivedAddress, KeyOrigin } from './derivation.ts'
export { MAX_SATOSHI, btcText, parseRpcJson, satoshiOf } from './amount.ts'
export { dustThreshold, estimateVsize, feeAt, inputFeeAt, outputWeightOf, vsizeOf } from './size.ts'
export { outpointOf } from './coin.ts'
export type { Coin, Output, SpendableCoin } from './coin.ts'
export { canPay, selectCoins } from './selection.ts'
export type { Selection, SelectionRefusal, SelectionRequest } from './selection.ts'
export { buildPayout } from './payout.ts'
export type { ChangeOutput, FeeCaps, OutputOrder, Payout, PayoutRefusal, PayoutRequest } from './payout.ts'
export { gatherCoins } from './gathering.ts'
export type { GatheringRequest } from './gathering.ts'
export { buildConsolidation, replaceConsolidation } from './consolidation.ts'
export type { Ancestors, Consolidation, ConsolidationRefusal, ConsolidationRequest } from './consolidation.ts'
export { buildReplacement } from './replacement.ts'
export type { ReplacementRefusal, ReplacementRequest } from './replacement.ts'
export { withoutPrevious, withoutWitnesses, withPrevious } from './previous.ts'
export {
  REPLACEABLE,
  TRANSACTION_VERSION,
  TRUC_CHILD_MAX_VSIZE,
  TRUC_VERSION,
  parsePsbt,
  psbtFee,
  unsignedTxid,
  writePsbt,
} from './psbt.ts'
export type { Psbt, PsbtInput, PsbtOutput, PsbtVersion } from './psbt.ts'
export { readSigned } from './signed-psbt.ts'
export type { SignedPsbtRefusal } from './signed-psbt.ts'
export { asIfSigned, finalize, parseTransaction } from './transaction.ts'
export type { FinalTransaction, ParsedTransaction } from './transaction.ts'
