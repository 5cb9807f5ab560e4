/** Checks whether an Ethereum-compatible node meets Bursar's requirements. */
import type { evmSettingsOf } from '../settings.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf, textOf } from '../shape.ts'
import { readHead, readHeadAt } from '../evm/heads.ts'
import { countOf, quantity, quantityOf } from '../evm/quantity.ts'
import { blockHistory, UNUSED_ADDRESS, stateHistory } from './evm-history.ts'
import { tracersOf } from './evm-tracers.ts'
import { good, poor, unfit, type Probe, type Seen } from './finding.ts'

type EvmSettings = ReturnType<typeof evmSettingsOf>

const BATCH = 100
/** Blocks come every 12 s or less, so that a head of this age is not the chain's. ms */
const OLD_HEAD_MS = 10 * 60_000
/** Consensus clients accept a block at most seconds before its time. ms */
const MOST_AHEAD_MS = 2 * 60_000
/** Clients with faulty answers before a version, by their own issues and change logs. */
const TROUBLE: readonly { client: RegExp; below: readonly [number, number]; what: string }[] = [
  {
    client: /^besu\//i,
    below: [26, 2],
    what: 'a failed CREATE has neither an error nor a receiver in its trace; before 25.8 the tracer is ignored',
  },
  { client: /^nethermind\//i, below: [1, 32], what: 'the JSON of some traces is cut in the middle (nethermind#8380)' },
  { client: /^erigon\//i, below: [3, 1], what: 'logIndex begins anew in the middle of some blocks (erigon#16491)' },
]

/** @param now ms since the epoch, for the age of the head */
export const evmProbes = (rpc: Rpc, settings: EvmSettings, now: number): Probe[] => [
  {
    about: 'client',
    neededBy: [],
    look: async () => clientOf(await rpc.read('web3_clientVersion', [], (result) => textOf(result, 'the version'))),
  },
  { about: 'sync', neededBy: [], look: () => syncOf(rpc, now) },
  { about: 'finality', neededBy: [], look: () => finalityOf(rpc, settings) },
  { about: 'receipts', neededBy: [], look: () => receiptsOf(rpc) },
  { about: 'tracers', neededBy: [], look: () => tracersOf(rpc, settings) },
  { about: 'states', neededBy: [], look: () => stateHistory(rpc, settings.network) },
  { about: 'old blocks', neededBy: [], look: () => blockHistory(rpc) },
  { about: 'balances at a block', neededBy: ['worker'], look: () => balancesByHash(rpc) },
  { about: 'fees', neededBy: ['worker'], look: () => feesOf(rpc, settings) },
  { about: 'code overrides', neededBy: [], look: () => overridesOf(rpc) },
  { about: 'batches', neededBy: [], look: () => batchesOf(rpc) },
]

const clientOf = (version: string): Seen => {
  const [, major, minor] = /\/v?(\d+)\.(\d+)/.exec(version) ?? []
  const known = TROUBLE.find(
    ({ client, below: [a, b] }) =>
      major !== undefined && client.test(version) && (Number(major) < a || (Number(major) === a && Number(minor) < b)),
  )
  return known ? poor(`${version}: ${known.what}`, `Upgrade to ${known.below.join('.')} or newer`) : good(version)
}

const syncOf = async (rpc: Rpc, now: number): Promise<Seen> => {
  const { height, time } = await rpc.read('eth_getBlockByNumber', ['latest', false], (result) => {
    const block = objectOf(result, 'the block')
    return { height: countOf(block['number'], 'number'), time: countOf(block['timestamp'], 'timestamp') * 1_000 }
  })
  const seconds = Math.round((now - time) / 1_000)
  const text = `head ${height}, ${seconds} s old`
  const answer = await rpc.ask({ method: 'eth_syncing', params: [] })
  if (answer.ok && answer.result !== false && answer.result !== null)
    return poor(`${text}, still syncing`, 'Wait until the node has caught up')
  if (time - now > MOST_AHEAD_MS)
    return poor(`${text}: its time is ahead of this machine's`, "Set this machine's clock, by NTP for example")
  return now - time > OLD_HEAD_MS
    ? poor(`${text}, although the node says that it has caught up`, 'Look whether it has peers, and a consensus client')
    : good(text)
}

const finalityOf = async (rpc: Rpc, { finality, leastFinalDepth }: EvmSettings): Promise<Seen> => {
  const head = await readHead(rpc)
  const answer = await rpc.ask({ method: 'eth_getBlockByNumber', params: ['finalized', false] })
  const setting =
    finality === 'finalized'
      ? `; at least ${leastFinalDepth} blocks by the settings`
      : `; the settings go by ${finality} blocks`
  if (!answer.ok || answer.result === null) {
    const text = `the node names no final block: ${answer.ok ? 'null' : `${answer.message} (${answer.code})`}${setting}`
    return finality === 'finalized'
      ? poor(
          text,
          'Look whether its consensus client runs. Where the chain has no finality, set `finality` to a number of blocks',
        )
      : good(text)
  }
  const height = countOf(objectOf(answer.result, 'the block')['number'], 'number')
  const text = `the final block is ${height}, ${head.height - height} below the head${setting}`
  if (finality === 'finalized' && height >= head.height && height > 0)
    return poor(
      text,
      `The node calls its newest block final, so that leastFinalDepth (${leastFinalDepth}) alone protects. Set it as deep as reorganisations go, or use another client`,
    )
  return good(text)
}

const receiptsOf = async (rpc: Rpc): Promise<Seen> => {
  const { hash } = await readHead(rpc)
  const answer = await rpc.ask({ method: 'eth_getBlockReceipts', params: [hash] })
  if (answer.ok && Array.isArray(answer.result)) return good('of a block by its hash')
  if (answer.ok)
    return poor(
      'the node knows none of its newest block',
      'Ask again; if that lasts, several back ends answer at this url: use one',
    )
  return poor(
    `eth_getBlockReceipts is refused: ${answer.message} (${answer.code})`,
    'Upgrade the node (Besu 25.12, geth 1.13 or newer), or use a provider that has it: receipts one by one take a request a transaction',
  )
}

/** EIP-1898. */
const balancesByHash = async (rpc: Rpc): Promise<Seen> => {
  const { hash } = await readHead(rpc)
  const answer = await rpc.ask({
    method: 'eth_getBalance',
    params: [UNUSED_ADDRESS, { blockHash: hash, requireCanonical: true }],
  })
  if (answer.ok && answer.result !== null) return good('by its hash')
  if (!answer.ok && /param|argument|unmarshal|invalid block tag/i.test(answer.message))
    return unfit(
      `the node takes no block hash (EIP-1898): ${answer.message} (${answer.code})`,
      'Use a client or a provider that does: payouts are planned from the balances at one block',
    )
  const { hash: again } = (await readHeadAt(rpc, 'latest')) ?? { hash }
  return poor(
    `the node does not know the balance at its own head: ${answer.ok ? 'null' : answer.message}`,
    again === hash ? 'Use one node, not several behind one address' : 'Ask again: the head changed meanwhile',
  )
}

const gwei = (wei: bigint): string => `${Number(wei) / 1e9} gwei`

const feesOf = async (rpc: Rpc, { legacyGas, gasPriceFloor, gasPriceCap }: EvmSettings): Promise<Seen> => {
  const bounds = `bounds ${gwei(gasPriceFloor)} to ${gwei(gasPriceCap)}`
  const price = await rpc.read('eth_gasPrice', [], (result) => quantityOf(result, 'the price'))
  const judged = (text: string): Seen =>
    price > gasPriceCap
      ? poor(text, 'The price is above gasPriceCap: payments wait. Raise gasPriceCap to pay this price')
      : good(text)
  if (legacyGas) return judged(`gas price ${gwei(price)}; ${bounds}`)
  const answer = await rpc.ask({ method: 'eth_feeHistory', params: [quantity(1), 'latest', []] })
  if (!answer.ok)
    return unfit(
      `eth_feeHistory is refused: ${answer.message} (${answer.code})`,
      'Set legacyGas to true where the chain has one gas price, or use a node that has it',
    )
  return rpc.believe('eth_feeHistory', () => {
    const base = quantityOf(
      listOf(objectOf(answer.result, 'the history')['baseFeePerGas'], 'baseFeePerGas').at(-1),
      'the base fee',
    )
    return judged(`base fee ${gwei(base)}, gas price ${gwei(price)}; ${bounds}`)
  })
}

/** PUSH1 42, MSTORE, RETURN: returns 42 for every call. */
const FORTY_TWO = '0x602a60005260206000f3'

const overridesOf = async (rpc: Rpc): Promise<Seen> => {
  const answer = await rpc.ask({
    method: 'eth_call',
    params: [{ to: UNUSED_ADDRESS, data: '0x' }, 'latest', { [UNUSED_ADDRESS]: { code: FORTY_TWO } }],
  })
  if (answer.ok && typeof answer.result === 'string' && answer.result.endsWith('2a'))
    return good('are taken in eth_call')
  const how = answer.ok ? 'are ignored' : `are refused: ${answer.message} (${answer.code})`
  return poor(
    `${how} in eth_call`,
    'Use a client that takes them: without them no address delegates (EIP-7702), and each sweep is sent its gas',
  )
}

const batchesOf = async (rpc: Rpc): Promise<Seen> => {
  try {
    await rpc.askAll(Array.from({ length: BATCH }, () => ({ method: 'eth_chainId', params: [] })))
    return good(`of ${BATCH} questions are answered, in parts where the node takes fewer at once`)
  } catch (error) {
    return poor(
      `of ${BATCH} questions are not answered: ${(error as Error).message}`,
      'Raise the limit at the node or the plan at the provider: balances are read in batches',
    )
  }
}
