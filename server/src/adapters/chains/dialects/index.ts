/**
 * Compares a real node's answers with those that the adapters expect. Guarantees to only read: no query changes
 * anything at the node. On request, it also sends transactions that no chain accepts to a node of a test network.
 */
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { parseRpcJson } from '@bursar/chainkit/bitcoin'
import { createRpc } from '../rpc.ts'
import { tronSettingsOf, type ChainSettings } from '../settings.ts'
import { createNode } from '../tron/node.ts'
import { bitcoinQuestions } from './bitcoin.ts'
import { compareAll, type Comparison, type Question } from './comparison.ts'
import { evmQuestions } from './evm.ts'
import { evmRefusals, isTestChain } from './evm-refusals.ts'
import { tronQuestions } from './tron.ts'

export { agrees, compareWords, isNew, isWrong, unknown, type Comparison } from './comparison.ts'

const TIMEOUT_MS = 15_000

/** @throws RangeError when the settings don't have the network */
export const compareNode = async (
  settings: ChainSettings,
  network: Network,
  timeoutMs = TIMEOUT_MS,
): Promise<Comparison[]> => {
  if (settings[network] === undefined) throw new RangeError(`${network} is not configured`)
  const { questions, close } = open(settings, network, timeoutMs)
  try {
    return await compareAll(questions)
  } finally {
    await close()
  }
}

/**
 * Compares how a node of a test network refuses invalid transactions.
 * @throws RangeError when the network is not Ethereum or BSC, or its configured chain is not a test network
 */
export const compareRefusals = async (
  settings: ChainSettings,
  network: Network,
  timeoutMs = TIMEOUT_MS,
): Promise<Comparison[]> => {
  const given = isEvmNetwork(network) ? settings[network] : undefined
  if (given === undefined || !isTestChain(given.chainId))
    throw new RangeError(`Nothing is sent to ${network}: the settings name no test network of Ethereum or BSC`)
  const { url, chainId } = given
  const rpc = createRpc({ network, url, timeoutMs, random: () => 0, attempts: 1, parse: JSON.parse })
  try {
    return await compareAll(evmRefusals(rpc, chainId))
  } finally {
    await rpc.close()
  }
}

const open = (
  settings: ChainSettings,
  network: Network,
  timeoutMs: number,
): { questions: Question[]; close(): Promise<void> } => {
  const random = (): number => 0
  if (network === 'TRON') {
    const node = createNode({ ...tronSettingsOf(settings.TRON!), timeoutMs, random })
    return { questions: tronQuestions(node), close: () => node.close() }
  }
  const isEvm = isEvmNetwork(network)
  const rpc = createRpc({
    network,
    url: settings[network]!.url,
    timeoutMs,
    random,
    attempts: 1,
    parse: isEvm ? JSON.parse : parseRpcJson,
  })
  return { questions: isEvm ? evmQuestions(rpc) : bitcoinQuestions(rpc), close: () => rpc.close() }
}
