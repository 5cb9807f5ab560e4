import {
  chooseSweep,
  COIN,
  FIAT_TOKEN_GAS,
  TETHER_GAS,
  type Hex,
  type SweepPrices,
  type SweepWay,
  type TokenGas,
} from '@bursar/chainkit/evm'
import { delegatesTo, type EvmAccount, type EvmHolding } from './account.ts'

/** Holdings to sweep from an address, and the way. */
export interface EvmChoice {
  account: EvmAccount
  way: SweepWay
  holdings: EvmHolding[]
}

export interface ChoiceWorld extends SweepPrices {
  delegate: Hex
  /** tickers of tokens that take transfers signed by their holders (EIP-3009) */
  signed: ReadonlySet<string>
}

/** Returns the gas assumed before an estimate: Tether's, or Circle's for tokens with signed transfers. */
const gasOf = ({ asset }: EvmHolding, { signed }: ChoiceWorld): TokenGas =>
  signed.has(asset)
    ? { ...TETHER_GAS, ...(FIAT_TOKEN_GAS.authorized && { authorized: FIAT_TOKEN_GAS.authorized }) }
    : TETHER_GAS

/**
 * Returns the cheapest way to sweep the holdings of an address that are worth it, or undefined. An address does one
 * thing at a time: the first of several ways is chosen, with tokens before the coin that pays for them, and the rest is
 * chosen afterwards.
 */
export const chooseWay = (
  account: EvmAccount,
  holdings: readonly EvmHolding[],
  world: ChoiceWorld,
): EvmChoice | undefined => {
  const choice = chooseSweep(
    {
      delegated: delegatesTo(account, world.delegate),
      exists: account.coin > 0n || account.nonce > 0,
      holdings: holdings.map((holding) => ({
        asset: holding.on,
        worth: holding.worth,
        ...(holding.on === COIN ? {} : { gas: gasOf(holding, world) }),
      })),
      further: account.holder.sweptBefore,
    },
    world,
  )
  const ways = new Map(choice?.moves.map(({ asset, way }) => [asset, way]))
  const moved = holdings
    .filter(({ on }) => ways.has(on))
    .toSorted((a, b) => Number(a.on === COIN) - Number(b.on === COIN))
  const way = moved[0] && ways.get(moved[0].on)
  return way && { account, way, holdings: moved.filter(({ on }) => ways.get(on) === way) }
}

/** Ways in which many addresses share a transaction. */
const SHARED: readonly SweepWay[] = ['delegate', 'authorize']

/** Chooses for all addresses, by how many share a batch: holdings that would not pay in it are left out. */
export const chooseAll = (
  all: readonly { account: EvmAccount; holdings: readonly EvmHolding[]; kPerMille: bigint }[],
  world: Omit<ChoiceWorld, 'kPerMille'>,
): EvmChoice[] => {
  for (let size = Math.min(world.batchSize, all.length); size > 0;) {
    const chosen = all.flatMap(
      ({ account, holdings, kPerMille }) =>
        chooseWay(account, holdings, { ...world, kPerMille, batchSize: size }) ?? [],
    )
    const shared = Math.min(world.batchSize, chosen.filter(({ way }) => SHARED.includes(way)).length)
    if (shared === 0 || shared >= size) return chosen
    size = shared
  }
  return []
}
