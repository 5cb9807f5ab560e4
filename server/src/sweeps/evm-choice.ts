import { chooseSweep, COIN, TETHER_GAS, type Hex, type SweepPrices, type SweepWay } from '@bursar/chainkit/evm'
import { delegatesTo, type EvmAccount, type EvmHolding } from './evm-account.ts'

/** What leaves an address, and how. */
export interface EvmChoice {
  account: EvmAccount
  way: SweepWay
  holdings: EvmHolding[]
}

export interface ChoiceWorld extends SweepPrices {
  delegate: Hex
  /** whether blocks show coin that contracts send: without it coin never leaves by delegation, as nobody would see it */
  traces: boolean
}

/** Of what every token is taken for until it is estimated: Tether's, a dear one. */
const GAS = TETHER_GAS

/**
 * The cheapest way to empty an address of what is worth it, or undefined. An address does one thing at a time, so of
 * several ways the first is taken, tokens before the coin that pays for them; the rest is chosen when that is over.
 */
export const chooseWay = (account: EvmAccount, holdings: readonly EvmHolding[], world: ChoiceWorld): EvmChoice | undefined => {
  const tokens = holdings.filter(({ on }) => on !== COIN)
  if (world.setCode && !world.traces && tokens.length < holdings.length) {
    return chooseWay(account, tokens, world) ?? chooseOf(account, holdings.filter(({ on }) => on === COIN), { ...world, setCode: false })
  }
  return chooseOf(account, holdings, world)
}

const chooseOf = (account: EvmAccount, holdings: readonly EvmHolding[], world: ChoiceWorld): EvmChoice | undefined => {
  const choice = chooseSweep(
    {
      delegated: delegatesTo(account, world.delegate),
      exists: account.coin > 0n || account.nonce > 0,
      holdings: holdings.map(({ on, worth }) => ({ asset: on, worth, ...(on === COIN ? {} : { gas: GAS }) })),
      further: account.holder.sweptBefore,
    },
    world,
  )
  const ways = new Map(choice?.moves.map(({ asset, way }) => [asset, way]))
  const moved = holdings.filter(({ on }) => ways.has(on)).toSorted((a, b) => Number(a.on === COIN) - Number(b.on === COIN))
  const way = moved[0] && ways.get(moved[0].on)
  return way && { account, way, holdings: moved.filter(({ on }) => ways.get(on) === way) }
}

/** Chooses for all, knowing how many share a batch: what would not pay in the batch there is, is not in it. */
export const chooseAll = (
  all: readonly { account: EvmAccount; holdings: readonly EvmHolding[]; kPerMille: bigint }[],
  world: Omit<ChoiceWorld, 'kPerMille'>,
): EvmChoice[] => {
  for (let size = Math.min(world.batchSize, all.length); size > 0;) {
    const chosen = all.flatMap(({ account, holdings, kPerMille }) => chooseWay(account, holdings, { ...world, kPerMille, batchSize: size }) ?? [])
    const shared = Math.min(world.batchSize, chosen.filter(({ way }) => way === 'delegate').length)
    if (shared === 0 || shared >= size) return chosen
    size = shared
  }
  return []
}
