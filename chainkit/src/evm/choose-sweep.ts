import type { Hex } from './hex.ts'
import { COIN } from './sweep-call.ts'
import {
  ACCOUNT_GAS,
  AUTHORIZATION_GAS,
  BATCH_GAS,
  COIN_GAS,
  PAYMENT_GAS,
  PER_AUTHORIZATION,
  dearerBy,
  netGas,
} from './sweep-gas.ts'
import type { Gas, TokenGas } from './sweep-gas.ts'

/**
 * How one asset is swept from one address. `delegate`: by the code that the address delegates to, in a batch
 * (EIP-7702). `authorize`: by a signed transfer through the relay (EIP-3009). `direct`: by a transaction of the address
 * itself, which has enough coin for it. `top-up`: the same, after coin is sent to it.
 */
export type SweepWay = 'delegate' | 'authorize' | 'direct' | 'top-up'

export interface Holding {
  /** token contract, or `COIN` */
  asset: Hex
  /** value of the balance, in wei at the current price */
  worth: bigint
  /** absent for the coin */
  gas?: TokenGas
}

export interface SweepAddress {
  /**
   * whether it delegates to the pinned delegate now. Addresses with code can't sign for tokens that verify signatures
   * by that code (ERC-1271). Anyone may have that code sweep the coin: a transaction of the address itself that was
   * planned before would then wait for coin without end
   */
  delegated: boolean
  /** whether the account exists on the chain: it has coin, or has sent a transaction */
  exists: boolean
  holdings: readonly Holding[]
  /** how many more sweeps are expected: 0 for an address used once. One-time costs are divided among them */
  further: number
}

export interface SweepPrices {
  /** wei for each unit of gas, tip included */
  gasPrice: bigint
  /** how many addresses share the fixed part of a batch */
  batchSize: number
  /** whether the chain supports EIP-7702 transactions; an address that already delegates needs none */
  setCode: boolean
  /**
   * thousandths: an asset is swept when its value is at least this multiple of the sweep's cost; 0 sweeps at any cost
   */
  kPerMille: bigint
  /**
   * current gas of an authorisation, and of a payment to an account that does not exist yet; when absent, the constants
   * of `sweep-gas.ts` apply
   */
  authorization?: bigint | undefined
  newAccount?: bigint | undefined
}

export interface SweepChoice {
  moves: { asset: Hex; way: SweepWay }[]
  /** expected gas of this sweep, its shares of batches included */
  gas: bigint
  /** wei */
  cost: bigint
}

interface Candidate extends SweepChoice {
  /** wei: value of the moved assets, less the cost with later sweeps taken into account */
  gain: bigint
}

interface Move {
  holding: Holding
  way: SweepWay
  /** now */
  gas: bigint
  /** now and at all further sweeps */
  lifetime: bigint
}

/**
 * Returns the cheapest way to sweep all assets of an address that are worth it; undefined when none is. Either all
 * assets are swept by delegation, which shares one call, or each one by its own best way, with or without a top-up.
 */
export const chooseSweep = (address: SweepAddress, prices: SweepPrices): SweepChoice | undefined => {
  const candidates = [
    ...(prices.setCode || address.delegated ? [byDelegation(address, prices)] : []),
    separately(address, prices, false),
    separately(address, prices, true),
  ].filter((one) => one !== undefined)
  // At any cost: sweep all assets, even those worth less than their gas.
  const most = Math.max(...candidates.map(({ moves }) => moves.length))
  const [best] = candidates
    .filter(({ moves }) => prices.kPerMille > 0n || moves.length === most)
    .toSorted((a, b) => (a.gain > b.gain ? -1 : a.gain < b.gain ? 1 : 0))
  return best && { moves: best.moves, gas: best.gas, cost: best.cost }
}

const byDelegation = (
  { delegated, exists, holdings, further }: SweepAddress,
  prices: SweepPrices,
): Candidate | undefined => {
  const share: Gas = { raw: BATCH_GAS / BigInt(prices.batchSize), refund: 0n }
  const known = AUTHORIZATION_GAS[exists ? 'existing' : 'new']
  const leave = delegated ? [] : [{ ...known, raw: known.raw + dearerBy(PER_AUTHORIZATION, prices.authorization) }]
  const worthwhile = holdings.filter((holding) => isWorth(holding.worth, netGas([batchedGas(holding)]), prices))
  const again = [share, ACCOUNT_GAS, ...worthwhile.map(batchedGas)]
  const gas = netGas([...leave, ...again])
  const moves = worthwhile.map((holding) => ({ holding, way: 'delegate' as const, gas: 0n, lifetime: 0n }))
  return candidate(moves, { gas, lifetime: gas + netGas(again) * BigInt(further) }, further, prices)
}

const batchedGas = ({ gas }: Holding): Gas => gas?.batched ?? COIN_GAS

const separately = (address: SweepAddress, prices: SweepPrices, withTopUp: boolean): Candidate | undefined => {
  const coin = address.holdings.find(({ asset }) => asset === COIN)?.worth ?? 0n
  const moves = address.holdings.flatMap((holding) => {
    const ways = waysOf(holding, address, prices, coin).filter(({ way }) => withTopUp || way !== 'top-up')
    const [best] = ways.toSorted((a, b) => Number(a.lifetime - b.lifetime))
    return best && isWorth(holding.worth, best.gas, prices) ? [best] : []
  })
  const again = moves.some(({ way }) => way === 'top-up') ? PAYMENT_GAS : 0n
  const first = again === 0n || address.exists ? again : again + dearerBy(PAYMENT_GAS, prices.newAccount)
  return candidate(moves, { gas: first, lifetime: first + again * BigInt(address.further) }, address.further, prices)
}

/**
 * Assets may each be worth their own gas, but together not the shared gas.
 * @param shared gas in addition to that of the moves
 */
const candidate = (
  moves: readonly Move[],
  shared: { gas: bigint; lifetime: bigint },
  further: number,
  { gasPrice, kPerMille }: SweepPrices,
): Candidate | undefined => {
  const worth = moves.reduce((sum, { holding }) => sum + holding.worth, 0n)
  const gas = moves.reduce((sum, move) => sum + move.gas, shared.gas)
  const lifetime = moves.reduce((sum, move) => sum + move.lifetime, shared.lifetime)
  if (moves.length === 0 || worth * 1000n < gas * gasPrice * kPerMille) return undefined
  return {
    moves: moves.map(({ holding: { asset }, way }) => ({ asset, way })),
    gas,
    cost: gas * gasPrice,
    gain: worth * BigInt(further + 1) - lifetime * gasPrice,
  }
}

const isWorth = (worth: bigint, gas: bigint, { gasPrice, kPerMille }: SweepPrices): boolean =>
  worth * 1000n >= gas * gasPrice * kPerMille

const waysOf = (
  holding: Holding,
  { delegated, further }: SweepAddress,
  { gasPrice, batchSize, newAccount }: SweepPrices,
  coin: bigint,
): Move[] => {
  const { gas: token } = holding
  const move = (way: SweepWay, gas: bigint): Move => ({ holding, way, gas, lifetime: gas * BigInt(further + 1) })
  if (token === undefined)
    return !delegated && holding.worth > PAYMENT_GAS * gasPrice ? [move('direct', PAYMENT_GAS)] : []
  const inBatch = (gas: Gas): bigint => netGas([{ raw: BATCH_GAS / BigInt(batchSize), refund: 0n }, gas])
  const alone = netGas([token.alone])
  // A used signature is recorded in a new storage slot, which is new state like a new account.
  const noted = dearerBy(PAYMENT_GAS, newAccount)
  // The sender must be able to pay the gas without refunds.
  const canPay = coin >= token.alone.raw * gasPrice
  return [
    ...(delegated ? [] : [move(canPay ? 'direct' : 'top-up', alone)]),
    ...(token.authorized && !delegated ? [move('authorize', inBatch(token.authorized) + noted)] : []),
  ]
}
