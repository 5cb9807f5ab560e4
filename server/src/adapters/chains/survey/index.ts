/**
 * Checks whether a node meets Bursar's requirements. Guarantees:
 * - it only reads;
 * - if a node does not reveal a property, the finding is `unknown`, never `unfit`.
 */
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { parseRpcJson } from '@bursar/chainkit/bitcoin'
import { createRpc } from '../rpc.ts'
import { bitcoinSettingsOf, evmSettingsOf, tronSettingsOf, type ChainSettings } from '../settings.ts'
import { createNode } from '../tron/node.ts'
import { bitcoinProbes } from './bitcoin.ts'
import { evmProbes } from './evm.ts'
import { runProbes, type Finding, type NodeRole, type Probe } from './finding.ts'
import { quotaOf } from './quota.ts'
import { tronProbes } from './tron.ts'

export { lineOf, type Finding, type NodeRole } from './finding.ts'

export interface SurveyDeps {
  /** token contracts of the network, as in `createAdapters` */
  tokens: readonly string[]
  /** ms since the epoch */
  now: number
  /** timeout of a query in ms; 15,000 when absent */
  timeoutMs?: number
}

const TIMEOUT_MS = 15_000

interface Opened {
  probes: Probe[]
  close(): Promise<void>
}

/** Runs all checks of the only node of a network in these settings. The network must be configured. */
export const surveyNode = (settings: ChainSettings, network: Network, deps: SurveyDeps): Promise<Finding[]> =>
  survey(settings, network, deps, () => true)

/** Runs the checks that a role needs before it uses the node. A node that does not answer is `unknown`, not `unfit`. */
export const surveyForRole = (
  role: NodeRole,
  settings: ChainSettings,
  network: Network,
  deps: SurveyDeps,
): Promise<Finding[]> => survey(settings, network, deps, ({ neededBy }) => neededBy.includes(role))

const survey = async (
  settings: ChainSettings,
  network: Network,
  deps: SurveyDeps,
  isWanted: (probe: Probe) => boolean,
): Promise<Finding[]> => {
  const { probes, close } = open(settings, network, deps)
  try {
    return await runProbes(probes.filter(isWanted))
  } finally {
    await close()
  }
}

const open = (
  settings: ChainSettings,
  network: Network,
  { tokens, now, timeoutMs = TIMEOUT_MS }: SurveyDeps,
): Opened => {
  const given = settings[network]
  if (given === undefined) throw new RangeError(`${network} is not configured`)
  const random = (): number => 0
  const quota = (asked: Parameters<typeof quotaOf>[1]): Probe => ({
    about: 'quota',
    neededBy: [],
    look: () => quotaOf(given.url, asked),
  })
  if (network === 'TRON') {
    const node = createNode({ ...tronSettingsOf(settings.TRON!), timeoutMs, random })
    const { apiKey, apiKeyHeader = 'TRON-PRO-API-KEY' } = settings.TRON!
    const headers = apiKey === undefined ? {} : { [apiKeyHeader]: apiKey }
    return {
      probes: [
        ...tronProbes(node, tronSettingsOf(settings.TRON!), { tokens, now }),
        quota({ path: '/wallet/getblock', body: { detail: false }, headers }),
      ],
      close: () => node.close(),
    }
  }
  const rpc = createRpc({
    network,
    url: given.url,
    timeoutMs,
    random,
    attempts: 1,
    parse: isEvmNetwork(network) ? JSON.parse : parseRpcJson,
  })
  const probes = isEvmNetwork(network)
    ? evmProbes(rpc, evmSettingsOf(network, settings[network]!), now)
    : bitcoinProbes(rpc, bitcoinSettingsOf(settings.BITCOIN!), now)
  return {
    probes: [
      ...probes,
      quota({
        body: { jsonrpc: '2.0', id: 0, method: isEvmNetwork(network) ? 'eth_chainId' : 'getblockcount', params: [] },
      }),
    ],
    close: () => rpc.close(),
  }
}
