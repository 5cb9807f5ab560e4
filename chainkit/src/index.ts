/** Types and helpers common to all chains. Each chain has its own entry point: `/bitcoin`, `/evm`, `/tron`. */
export { NATIVE_DECIMALS, NATIVE_TICKER, NETWORKS, isEvmNetwork, isNetwork } from './network.ts'
export type { EvmNetwork, Network } from './network.ts'
export { ACCOUNT_NUMBER, HARDENED, SECOND_SEED, seedIndex } from './account.ts'
export type { KeyAccount, SeedIndex } from './account.ts'
export { joinBbqr, splitBbqr } from './bbqr.ts'
export type { BbqrType } from './bbqr.ts'
export { isRefused } from './refusal.ts'
export type { Refused } from './refusal.ts'
export type {
  Block,
  ChainTransaction,
  CoinSwept,
  Head,
  IssuerAct,
  IssuerActShown,
  IssuerEvent,
  Transfer,
} from './observation.ts'
