import { COIN, checksumAddress, delegateOfCode, type Hex } from '@bursar/chainkit/evm'
import type { EvmNetwork } from '@bursar/chainkit'
import type { Catalogue } from '../../../market/assets/index.ts'
import { rescale } from '../../../platform/money/index.ts'
import type { Holder, Holding } from '../sweep.ts'

/** State of a deposit address on the chain. */
export interface EvmAccount {
  holder: Holder
  /** nonce of the next transaction or authorisation, after those mined */
  nonce: number
  /** hex, `0x` for none */
  code: string
  /** wei */
  coin: bigint
}

/** Something of an address that may be swept. */
export interface EvmHolding extends Holding {
  /** token contract in EIP-55, or `COIN` */
  on: Hex
  /** chain units */
  amount: bigint
  /** wei */
  worth: bigint
}

/** The token of a ticker as chainkit names it, EIP-55 or `COIN`, with its decimals. */
export const assetOn = (
  catalogue: Catalogue,
  network: EvmNetwork,
  ticker: string,
): { on: Hex; decimals: number; scale: number } => {
  const asset = catalogue.findCrypto(ticker)
  const listed = asset?.networks.get(network)
  if (!asset || !listed) throw new Error(`the catalogue lacks ${ticker} on ${network}`)
  return {
    on: listed.contract === null ? COIN : checksumAddress(listed.contract),
    decimals: listed.decimals,
    scale: asset.scale,
  }
}

export const chainAmount = (
  catalogue: Catalogue,
  network: EvmNetwork,
  { asset, units }: Pick<Holding, 'asset' | 'units'>,
): bigint => {
  const { decimals, scale } = assetOn(catalogue, network, asset)
  return rescale(units, scale, decimals)
}

export const delegatesTo = ({ code }: EvmAccount, delegate: Hex): boolean => delegateOfCode(code) === delegate
