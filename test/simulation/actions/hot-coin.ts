/** The coin of hot addresses: what they have, what signed transactions take of it, and merchants who have as much. */
import { isEvmNetwork, isRefused, NATIVE_TICKER } from '@bursar/chainkit'
import { fromHex, parseDraft, parseUnsigned, type Hex } from '@bursar/chainkit/evm'
import { parseUnsigned as parseTron } from '@bursar/chainkit/tron'
import { evmHotKeys } from '../../../server/src/chain/transactions/index.ts'
import type { KeyReference, SignRequest } from '../../../signer/src/protocol/protocol.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { HOT_ADDRESSES, signerPolicy } from '../installation/files.ts'
import { WALLET } from '../installation/keys.ts'
import type { SimulatedMerchant } from '../merchants.ts'
import { fromLedger, unitsOf } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import { newAddress, pay } from './lost-money.ts'
import { call } from './merchants.ts'
import { hotAddressOf } from './operators.ts'
import { mine } from './sent.ts'

/** Blocks that make every block before them final. */
const TO_FINAL = 6
/** A merchant's money stays at so many deposit addresses until it is swept, and none of them can pay an order alone. */
const ADDRESSES = 8

/** Bitcoin's payments spend chosen coins, which no two of them can share. */
export const accountChains = ({ chains }: Simulation): SimulatedChain[] =>
  chains.filter(({ network }) => network !== 'BITCOIN')

export const evmChains = ({ chains }: Simulation): SimulatedChain[] =>
  chains.filter(({ network }) => isEvmNetwork(network))

/** The most that the signer signs for one payment, base units. */
export const mostOf = ({ chains }: Simulation, { network }: SimulatedChain, ticker: string): bigint => {
  const { networks } = signerPolicy(chains) as {
    networks: Record<string, { assets: Record<string, { maxPerIntent: string }> }>
  }
  return BigInt(networks[network]!.assets[ticker]!.maxPerIntent)
}

/** Hot addresses of a chain, in the order of their keys. */
export const hotAddressesOf = ({ network }: SimulatedChain): string[] =>
  isEvmNetwork(network) ? evmHotKeys(WALLET, HOT_ADDRESSES).map(({ address }) => address) : [hotAddressOf(network)]

export interface Richest {
  index: number
  /** base units of coin at the head */
  has: bigint
  /** the most that another hot address has */
  others: bigint
}

/** The hot address with the most coin. */
export const richestOf = async (chain: SimulatedChain): Promise<Richest> => {
  const balances = await Promise.all(hotAddressesOf(chain).map((address) => chain.balance(address, null)))
  const inOrder = balances.toSorted((a, b) => (a < b ? 1 : -1))
  return { index: balances.indexOf(inOrder[0]!), has: inOrder[0]!, others: inOrder[1] ?? 0n }
}

export const isOf = (index: number, key: KeyReference | undefined): boolean =>
  key?.account === 'hot' && key.index === index

/** What a transaction takes of its sender's coin, base units. */
interface Taken {
  value: bigint
  /** the most that it costs; on TRON, of its energy */
  fee: bigint
  /** the most for each unit of gas; 0 on TRON */
  price: bigint
}

export const takenBy = ({ network, unsigned }: Pick<SignRequest, 'network' | 'unsigned'>): Taken => {
  if (network === 'TRON') return takenOnTron(unsigned)
  const bytes = fromHex(unsigned as Hex)
  const draft = parseDraft(bytes)
  const transaction = isRefused(draft) ? parseUnsigned(bytes) : draft
  if (isRefused(transaction)) throw new Error(`a signed transaction does not parse: ${transaction.message}`)
  const price = transaction.type === 'legacy' ? transaction.gasPrice : transaction.maxFeePerGas
  return { value: transaction.value, fee: transaction.gas * price, price }
}

const takenOnTron = (unsigned: string): Taken => {
  const transaction = parseTron(Buffer.from(unsigned, 'hex'))
  if (isRefused(transaction)) throw new Error(`a signed transaction does not parse: ${transaction.message}`)
  const { contract, feeLimit } = transaction
  return { value: contract.kind === 'TransferContract' ? contract.amount : 0n, fee: feeLimit, price: 0n }
}

/** The coin that signed transactions of a hot address take together. Of several attempts the dearest counts. */
export const takenTogether = (requests: readonly SignRequest[], { network }: SimulatedChain, index: number): bigint => {
  const most = new Map<string, bigint>()
  for (const request of requests)
    if (request.network === network && isOf(index, request.keys[0])) {
      const { value, fee } = takenBy(request)
      const before = most.get(request.transactionId) ?? 0n
      most.set(request.transactionId, value + fee > before ? value + fee : before)
    }
  return [...most.values()].reduce((sum, one) => sum + one, 0n)
}

/**
 * Pays coin to deposit addresses of a merchant until its balance is enough for some orders, without their fees.
 * @param units base units of all orders
 */
export const supply = async (
  simulation: Simulation,
  random: Random,
  chain: SimulatedChain,
  { merchant, units }: { merchant: SimulatedMerchant; units: bigint },
): Promise<void> => {
  const { catalogue } = simulation
  const { network } = chain
  const ticker = NATIVE_TICKER[network]
  const listed = await call(simulation, merchant, (client) => client.balances.list([ticker]))
  const has =
    'answer' in listed
      ? fromLedger(catalogue, ticker, network, unitsOf(catalogue, ticker, listed.answer[0]!.value))
      : 0n
  // A tenth more is enough for the fees.
  const missing = (units * 11n) / 10n - has
  if (missing <= 0n) return
  for (let at = 0; at < ADDRESSES; at += 1) {
    const to = await newAddress(simulation, random, chain, merchant)
    if (to !== undefined)
      await pay(simulation, chain, to, { ticker, units: (missing + BigInt(ADDRESSES)) / BigInt(ADDRESSES) })
  }
  await mine(simulation, chain, TO_FINAL)
}
