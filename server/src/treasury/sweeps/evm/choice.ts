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

/** What leaves an address, and how. */
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

/** Every token is taken for one as dear as Tether's until it is estimated; one that takes signatures for Circle's. */
const gasOf = ({ asset }: EvmHolding, { signed }: ChoiceWorld): TokenGas =>
  signed.has(asset)
    ? { ...TETHER_GAS, ...(FIAT_TOKEN_GAS.authorized && { authorized: FIAT_TOKEN_GAS.authorized }) }
    : TETHER_GAS

/**
 * The cheapest way to empty an address of what is worth it, or undefined. An address does one thing at a time, so of
 * several ways the first is taken, tokens before the coin that pays for them; the rest is chosen when that is over.
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

/** Ways whose transaction many addresses share. */
const SHARED: readonly SweepWay[] = ['delegate', 'authorize']

/** Chooses for all, knowing how many share a batch: what would not pay in the batch there is, is not in it. */
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
