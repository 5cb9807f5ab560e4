import { burnOf, type Prices, type Resources, type Usage } from '@bursar/chainkit/tron'
import { mulDiv } from '../../../platform/money/index.ts'

/** The figures for choosing a sweep of one token of one address, all as the chain reports them now. */
export interface TronFigures {
  prices: Prices
  /** of the transfer to the hot address */
  usage: Pick<Usage, 'bandwidth' | 'energy'>
  address: {
    isActivated: boolean
    /** the resources it has left; of an account to be activated, those it will have */
    resources: Resources
    /** TRX it can burn, in final blocks */
    sun: bigint
  }
  hot: {
    resources: Resources
    /** sun of stake for energy that it can lend */
    lendable: bigint
  }
  supply: { energy: bigint; stakedForEnergy: bigint }
  /** bytes of the transactions that the hot address may have to send first */
  bytes: { topUp: number; activate: number; lend: number; giveBack: number }
}

/** `own`: the address has all it needs. `energy`: the missing energy is lent to it. `burn`: it gets TRX to burn. */
export type TronWay = 'own' | 'energy' | 'burn'

/** The first thing that the address lacks; amounts in sun. When it has that, the choice is made again. */
export type TronStep =
  | { kind: 'send' }
  | { kind: 'activate' }
  | { kind: 'top-up'; sun: bigint }
  | { kind: 'lend'; stake: bigint }

export interface TronChoice {
  way: TronWay
  /** sun that all its transactions burn from now on */
  cost: bigint
  step: TronStep
}

/** Least stake that can be lent (DelegateResourceContract). */
const LEAST_LOAN = 1_000_000n
const SUN = 1_000_000n
/**
 * Margin above the stake for exactly that energy, in thousandths: its yield falls when others stake. The stake is
 * returned anyway.
 */
const STAKE_MARGIN = 10n

/** sun of stake that gives so much energy a day, in whole TRX, since parts of one give nothing. */
export const stakeFor = (energy: bigint, { energy: total, stakedForEnergy }: TronFigures['supply']): bigint => {
  if (total === 0n) return 2n ** 63n
  const stake = mulDiv(energy * (1000n + STAKE_MARGIN), stakedForEnergy, total * 1000n, 'up') * SUN
  return stake > LEAST_LOAN ? stake : LEAST_LOAN
}

/** Returns the cheapest possible way and its next step. Of ways with equal cost, the one with fewer transactions. */
export const chooseTronSweep = (figures: TronFigures): TronChoice => {
  const open = [ofOwn(figures), ofEnergy(figures), ofBurning(figures)].filter((choice) => choice !== undefined)
  return open.reduce((best, choice) => (choice.cost < best.cost ? choice : best))
}

const ofOwn = (figures: TronFigures): TronChoice | undefined => {
  const { isActivated, sun } = figures.address
  const { total } = burntBy(figures)
  return isActivated && total <= sun ? { way: 'own', cost: total, step: { kind: 'send' } } : undefined
}

/** Returns the way of burning, which is possible whenever the hot address has TRX. */
const ofBurning = (figures: TronFigures): TronChoice => {
  const { total } = burntBy(figures)
  const sun = lacking(figures, total)
  const first = hotBurn(figures, sun === 0n ? [] : [figures.bytes.topUp])
  return { way: 'burn', cost: total + first, step: sun === 0n ? { kind: 'send' } : { kind: 'top-up', sun } }
}

const ofEnergy = (figures: TronFigures): TronChoice | undefined => {
  const { usage, address, hot, supply, bytes } = figures
  const { energy: unmet, bandwidth } = burntBy(figures)
  if (unmet === 0n) return undefined
  const stake = stakeFor(usage.energy - address.resources.energy, supply)
  if (stake > hot.lendable) return undefined
  const isShort = bandwidth > address.sun
  const before = isShort ? [bytes.topUp] : address.isActivated ? [] : [bytes.activate]
  const cost = bandwidth + hotBurn(figures, [...before, bytes.lend, bytes.giveBack])
  if (isShort) return { way: 'energy', cost, step: { kind: 'top-up', sun: bandwidth - address.sun } }
  return { way: 'energy', cost, step: address.isActivated ? { kind: 'lend', stake } : { kind: 'activate' } }
}

const burntBy = ({ usage, prices, address }: TronFigures) =>
  burnOf({ ...usage, activates: false }, prices, address.resources)

/** Returns the TRX that an address lacks, at least one sun, which activates an account. */
const lacking = ({ address: { isActivated, sun } }: TronFigures, total: bigint): bigint => {
  if (total > sun) return total - sun
  return isActivated ? 0n : 1n
}

/**
 * Returns the TRX that consecutive transactions of the hot address burn for their bytes; the first of them may
 * activate.
 */
const hotBurn = ({ prices, hot, address }: TronFigures, sizes: readonly number[]): bigint => {
  let { bandwidth: staked, freeBandwidth: free } = hot.resources
  let burnt = 0n
  for (const [at, bytes] of sizes.entries()) {
    const activates = at === 0 && !address.isActivated
    const one = burnOf({ bandwidth: bytes, energy: 0n, activates }, prices, {
      energy: 0n,
      bandwidth: staked,
      freeBandwidth: free,
    })
    burnt += one.total
    if (one.bandwidth > 0n) continue
    if (BigInt(bytes) <= staked) staked -= BigInt(bytes)
    else free -= BigInt(bytes)
  }
  return burnt
}

/** Returns how much TRX an address can send itself after the fee of the transfer; 0 or less when nothing is left. */
export const sendableTrx = ({
  sun,
  bytes,
  prices,
  resources,
}: {
  sun: bigint
  bytes: number
  prices: Prices
  resources: Resources
}): {
  sun: bigint
  cost: bigint
} => {
  const { total: cost } = burnOf({ bandwidth: bytes, energy: 0n, activates: false }, prices, resources)
  return { sun: sun - cost, cost }
}
