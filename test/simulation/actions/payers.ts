/** People outside who pay to addresses that merchants gave them. */
import { parseUnits } from '../../../server/src/platform/money/index.ts'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { Way } from '../chains/chain.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { fromLedger, type PaidIn } from '../model/books.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'

/** Whole units that payers send, at most; the least is a tenth of the least deposit. */
export const MOST: Record<string, string> = { BTC: '0.05', ETH: '1', BNB: '1', TRX: '5000', USDT: '3000', USDC: '3000' }

/** An amount in base units of the network: mostly usual ones, sometimes at and below the least deposit. */
export const drawUnits = (
  { catalogue }: Pick<Simulation, 'catalogue'>,
  random: Random,
  { ticker, network }: { ticker: string; network: Network },
): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  const on = asset.networks.get(network)!
  const finest = 10n ** BigInt(asset.scale - on.decimals)
  const least = on.minDeposit / finest
  const edge = random.next()
  if (edge < 0.05) return least > 1n ? least - 1n : 1n
  if (edge < 0.1) return least
  if (edge < 0.12) return 1n
  const parsed = parseUnits(MOST[ticker]!, on.decimals)
  const most = parsed.ok ? parsed.units : 1n
  return least + (most * BigInt(1 + random.int(1_000_000))) / 1_000_000n
}

/** The chains of this run on which an address can be paid. */
const chainsOf = ({ chains }: Simulation, network: Network): SimulatedChain[] =>
  chains.filter((one) => one.network === network || (isEvmNetwork(network) && isEvmNetwork(one.network)))

/** The payer, on a chain that distinguishes its payers, and whether a list in force has that address. */
export const payerOf = (
  { sanctions }: Simulation,
  { payers }: SimulatedChain,
  hash: string,
): Pick<PaidIn, 'payer' | 'wasListed'> => {
  const payer = payers?.of(hash)
  return payer === undefined ? {} : { payer, wasListed: sanctions.has(payer) }
}

/** How many payments on EVM chains are made with a token of the same name that is worth nothing. */
const TWINS = 0.1
/** Payments in other ways than once. */
const OUTPUTS: Partial<Record<Way, (units: bigint) => bigint[]>> = {
  'two-outputs': (units) => [units, units],
  twin: () => [],
}

const pay: Action = {
  name: 'pay',
  weight: ({ books }) => (books.addresses.length === 0 ? 0 : 14),
  run: async (simulation, random) => {
    const { books, catalogue } = simulation
    const given = random.chance(0.7) ? random.pick(books.addresses.slice(-20)) : random.pick(books.addresses)
    const chain = random.pick(chainsOf(simulation, given.network))
    const { network } = chain
    const { ticker } = random.pick(
      chain.assets.filter((one) => catalogue.findCrypto(one.ticker)?.networks.has(network)),
    )
    const units = drawUnits(simulation, random, { ticker, network })
    const isTwin = isEvmNetwork(network) && random.chance(TWINS)
    const how = isTwin ? 'twin' : random.pick(chain.ways(ticker))
    const hash = await chain.pay({ ticker, to: given.address, units, how })
    const outputs = OUTPUTS[how] === undefined ? [units] : OUTPUTS[how](units)
    const byContract = how === 'inner' || how === 'destruction'
    books.paidIn.push({
      merchant: given.merchant,
      network,
      ticker,
      address: given.address,
      hash,
      byContract,
      units: outputs,
      ...payerOf(simulation, chain, hash),
    })
    return `${network} ${ticker} ${units} ${how}`
  },
}

/** Pays an invoice: mostly the requested amount, otherwise half of it, or one and a half times it. */
const payInvoice: Action = {
  name: 'pay an invoice',
  weight: ({ books }) => (books.invoiced.length === 0 ? 0 : 6),
  run: async (simulation, random) => {
    const { books, chains, catalogue } = simulation
    const { merchant, network, ticker, address, units } = random.pick(books.invoiced.slice(-10))
    const chain = chains.find((one) => one.network === network)!
    const [part, of] = random.pick([
      [1n, 1n],
      [1n, 1n],
      [1n, 1n],
      [1n, 2n],
      [3n, 2n],
    ] as const)
    const sent = (fromLedger(catalogue, ticker, network, units) * part) / of
    if (sent === 0n) return 'nothing to send'
    const hash = await chain.pay({ ticker, to: address, units: sent, how: 'plain' })
    const from = payerOf(simulation, chain, hash)
    books.paidIn.push({ merchant, network, ticker, address, hash, byContract: false, units: [sent], ...from })
    return `${network} ${ticker} ${sent}`
  },
}

const replace: Action = {
  name: 'payer replaces',
  weight: ({ books }) => (books.paidIn.length === 0 ? 0 : 1),
  run: async ({ books, chains }, random) => {
    const { network, hash } = random.pick(books.paidIn.slice(-10))
    const chain = chains.find((one) => one.network === network)!
    if ((await chain.transaction(hash)) !== 'pool') return 'nothing in the pool'
    return `${network}: ${(await chain.replace(hash)) === null ? 'impossible' : 'done'}`
  },
}

export const PAYERS: readonly Action[] = [pay, payInvoice, replace]
