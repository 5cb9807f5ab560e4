/**
 * The part of EDR, the node inside Hardhat, that is used here: its native module, as npm brought it. Types:
 * @nomicfoundation/edr 0.13.0, index.d.ts.
 */
import { createRequire } from 'node:module'

export interface Provider {
  handleRequest(request: string): Promise<{ readonly data: unknown }>
}

interface Account {
  readonly address: Uint8Array
  readonly balance?: bigint
}

interface Context {
  registerProviderFactory(chainType: string, factory: unknown): Promise<void>
  createProvider(
    chainType: string,
    config: object,
    logger: object,
    subscriptions: object,
    decoder: object,
  ): Promise<Provider>
}

export interface Edr {
  readonly EdrContext: new () => Context
  readonly ContractDecoder: new () => object
  readonly L1_CHAIN_TYPE: string
  readonly CANCUN: string
  readonly PRAGUE: string
  l1ProviderFactory(): unknown
  l1HardforkFromString(name: string): number
  l1GenesisState(hardfork: number): Account[]
}

const NAME = '@nomicfoundation/edr-linux-x64-gnu'

/** Returns EDR's module; undefined if the platform has none: npm installs the package of 64-bit Linux only. */
export function findEdr(): Edr | undefined {
  try {
    return createRequire(import.meta.url)(NAME) as Edr
  } catch {
    return undefined
  }
}
