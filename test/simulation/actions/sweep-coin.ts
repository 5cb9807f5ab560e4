/**
 * Sweeps need coin of a hot address, for their own fee or as gas of deposit addresses; payments take the rest of it.
 */
import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { toLedger, type PaidOut } from '../model/books.ts'
import type { SimulatedMerchant } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { accountChains, hotAddressesOf, isOf, mostOf, supply, takenBy, takenTogether } from './hot-coin.ts'
import { stallPlanning } from './last-coin.ts'
import { newAddress, pay } from './lost-money.ts'
import { place, resultOf } from './merchants.ts'
import { calm, carry, isComplete, mine, servedOn } from './sent.ts'
import { during, runNamed } from './stalled.ts'

/** Blocks that make every block before them final. */
const TO_FINAL = 6
/** Whole units of a token that are worth a sweep. */
const SWEPT = 500n
/** Gas that is set aside for a payment of coin before it is estimated. */
const PAYMENT_GAS = 26_250n
/** Sun that a payment of TRX costs at most: its bandwidth, and the activation of its receiver. */
const PAYMENT_SUN = 2_000_000n

/** The coin of the hot address that pays for sweeps: it has more than twice as much as any other hot address. */
const fillSweeper = async (simulation: Simulation, chain: SimulatedChain): Promise<{ has: bigint; others: bigint }> => {
  const [sweeper, ...rest] = hotAddressesOf(chain)
  const balanceOf = (address: string): Promise<bigint> => chain.balance(address, null)
  const others = (await Promise.all(rest.map(balanceOf))).reduce((most, one) => (one > most ? one : most), 0n)
  const missing = others * 2n - (await balanceOf(sweeper!))
  if (missing > 0n) {
    await chain.pay({ ticker: NATIVE_TICKER[chain.network], to: sweeper!, units: missing, how: 'plain' })
    await mine(simulation, chain, TO_FINAL)
  }
  return { has: await balanceOf(sweeper!), others }
}

/** Together their sweeps take more coin than is left for payments, also on TRON. */
const SWEPT_ADDRESSES = 3

/** Payers send a token to new addresses, from which it is worth a sweep. @returns how many got it */
const payTokens = async (
  simulation: Simulation,
  random: Random,
  chain: SimulatedChain,
  merchant: SimulatedMerchant,
): Promise<number> => {
  const tokens = chain.assets.filter(
    ({ ticker, contract }) => contract !== undefined && servedOn(simulation, chain).includes(ticker),
  )
  if (tokens.length === 0) return 0
  const { ticker, decimals } = random.pick(tokens)
  let paid = 0
  for (let at = 0; at < SWEPT_ADDRESSES; at += 1) {
    const to = await newAddress(simulation, random, chain, merchant)
    if (to === undefined) continue
    await pay(simulation, chain, to, { ticker, units: SWEPT * 10n ** BigInt(decimals) })
    paid += 1
  }
  return paid
}

/** What a payment costs at most, by the price of the newest transaction of the hot address; undefined: it has none. */
const costOf = ({ signer }: Simulation, { network }: SimulatedChain): bigint | undefined => {
  if (network === 'TRON') return PAYMENT_SUN
  const newest = signer.signed.findLast((one) => one.network === network && isOf(0, one.keys[0]))
  return newest && takenBy(newest).price * PAYMENT_GAS
}

const sweepAll = async (simulation: Simulation, { network }: SimulatedChain): Promise<void> => {
  for (let run = 0; run < 2; run += 1) await runNamed(simulation, `sweeps ${network}`)
}

/** One worker plans payments and another one sweeps: the first of them stands still before it stores its plan. */
const atOnce = async (simulation: Simulation, random: Random, chain: SimulatedChain): Promise<boolean> => {
  const second = await simulation.startSecondWorker()
  const jobs = [`payouts ${chain.network}`, `sweeps ${chain.network}`] as const
  const [first, other] = random.chance(0.5) ? jobs : jobs.toReversed()
  try {
    const stall = stallPlanning(simulation, random, chain)
    return await during(simulation, stall, runNamed(simulation, first!), () => runNamed(simulation, other!, second))
  } finally {
    await second.stop()
  }
}

const sweepCoin: Action = {
  name: 'payments of all coin beside a sweep',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && accountChains(simulation).length > 0 ? 2 : 0,
  run: async (simulation, random) => {
    const { books, catalogue, problems, signer } = simulation
    const chain = random.pick(accountChains(simulation))
    const { network } = chain
    const ticker = NATIVE_TICKER[network]
    await calm(simulation, chain)
    const cost = costOf(simulation, chain)
    if (cost === undefined) return `${network}: has paid nothing yet`
    const { has, others } = await fillSweeper(simulation, chain)
    const most = mostOf(simulation, chain, ticker)
    const count = (has + most - 1n) / most
    if (has / count <= others) return `${network}: another address has as much`
    const merchant = random.pick(simulation.merchants.filter(({ holds }) => !holds))
    await supply(simulation, random, chain, { merchant, units: has })
    if ((await payTokens(simulation, random, chain, merchant)) === 0) return `${network}: no token to sweep`
    await mine(simulation, chain, TO_FINAL)
    // The blocks since then may hold transfers to the hot address.
    const held = await chain.balance(hotAddressesOf(chain)[0]!, null)
    const before = signer.signed.length
    const order = random.pick(['sweep first', 'payment first', 'at once'] as const)
    if (order === 'sweep first') {
      await sweepAll(simulation, chain)
      await runNamed(simulation, `send ${network}`)
    }
    const taken = takenTogether(signer.signed.slice(before), chain, 0)
    const gas = signer.signed
      .slice(before)
      .filter((one) => one.network === network && isOf(0, one.keys[0]))
      .reduce((sum, one) => sum + takenBy(one).value, 0n)
    // All but the cost of the payments: what a sweep has taken before is missing in part.
    const left = cost * count + (order === 'sweep first' ? taken - gas / 2n : (cost * BigInt(random.int(50))) / 100n)
    const units = (has - left) / count
    const results: string[] = []
    for (let at = 0; at < Number(count); at += 1) {
      const to = await chain.newAddress(random.of('receiver', at))
      const one: PaidOut = {
        merchant: merchant.name,
        localId: books.nextLocalId('w'),
        network,
        ticker,
        to,
        units: toLedger(catalogue, ticker, network, units),
        receiver: null,
      }
      books.paidOut.push(one)
      results.push(resultOf(await place(simulation, one)))
    }
    await runNamed(simulation, `payouts ${network}`)
    await runNamed(simulation, 'screen')
    const stood = order === 'at once' && (await atOnce(simulation, random, chain))
    await runNamed(simulation, `payouts ${network}`)
    await sweepAll(simulation, chain)
    await carry(simulation, chain)
    const together = takenTogether(signer.signed.slice(before), chain, 0)
    if (together > held) {
      const signed = signer.signed.slice(before).filter((one) => one.network === network && isOf(0, one.keys[0]))
      const parts = signed.map((one) => `${one.purpose} ${one.transactionId} ${takenBy(one).value}+${takenBy(one).fee}`)
      problems.push(`${together} ${ticker} leave the hot address of ${network}, which has ${held}: ${parts.join(', ')}`)
      return `${network}: more than there is`
    }
    await mine(simulation, chain, 1)
    return `${network} ${order}: ${results.join(', ')}${stood ? ', stood still' : ''}, ${(together * 100n) / has} of 100 taken, gas ${gas}`
  },
}

export const SWEEP_COIN: readonly Action[] = [sweepCoin]
