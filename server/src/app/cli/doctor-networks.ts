import type { Network } from '@bursar/chainkit'
import { createAdapters, identityOf, nodeNameOf, nodesOf, quorumOf } from '../../adapters/chains/index.ts'
import type { ChainSettings } from '../../adapters/chains/index.ts'
import { lineOf, surveyNode } from '../../adapters/chains/survey/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { watchStatus, type WatchStatus } from '../../chain/watcher/index.ts'
import { surveyDecimals } from '../composition/token-decimals.ts'
import type { Report } from './doctor-acquirers.ts'
import { tokensOf, type Opened } from '../installation/open.ts'

/** Reports one line that is for information only, or that could not be determined. */
export type Note = (text: string) => void

/**
 * Reports each network: its chain, how far it is read, the abilities of its node, and whether the tokens match the
 * settings.
 */
export const reportNetworks = async (
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
  report: Report,
  note: Note,
): Promise<void> => {
  const { networks, assets } = config
  if (networks === null || assets === null)
    return report(false, 'networks: BURSAR_NETWORKS_FILE or BURSAR_ASSETS_FILE is not set')
  const statuses = new Map((await watchStatus(runtime.db)).map((status) => [status.network, status]))
  for (const network of Object.keys(networks) as Network[]) reportReading(statuses.get(network), network, report)
  await reportNodes({ networks, assets }, report, note)
}

/**
 * Reports each node of each network: its chain, its abilities, and whether the tokens match the settings. Needs no
 * database.
 */
export const reportNodes = async (
  { networks, assets }: { networks: ChainSettings; assets: Catalogue },
  report: Report,
  note: Note,
): Promise<void> => {
  for (const network of Object.keys(networks) as Network[]) {
    const nodes = nodesOf(networks, network)
    for (const one of nodes) {
      const name = nodes.length === 1 ? network : `${network} ${nodeNameOf(one, network)}`
      await reportOneNode(one, { network, name, assets }, report, note)
    }
    if (nodes.length > 1)
      note(`${network}: ${quorumOf(networks, network)} of ${nodes.length} nodes must give the same answer`)
  }
}

const reportReading = (read: WatchStatus | undefined, network: Network, report: Report): void =>
  report(
    read !== undefined,
    `${network}: ${read ? `read to ${read.height}, final to ${read.finalHeight}` : 'not read yet: is a watcher running?'}`,
  )

/** Reports the chain, the abilities and the tokens of the only node in these settings. */
const reportOneNode = async (
  settings: ChainSettings,
  { network, name, assets }: { network: Network; name: string; assets: Catalogue },
  report: Report,
  note: Note,
): Promise<void> => {
  const adapter = createAdapters(settings, tokensOf(assets)).get(network)!
  try {
    const [identity, head] = await Promise.all([adapter.identity(), adapter.head()])
    const configured = identityOf(settings, network)
    const isRight = identity === configured
    const other = `, but BURSAR_NETWORKS_FILE names chain ${configured}: set \`url\` to a node of that chain`
    report(isRight, `${name}: node of chain ${identity}, head ${head.height}${isRight ? '' : other}`)
    await reportAbilities(settings, { network, name, assets }, report, note)
    for (const finding of await surveyDecimals(assets, network, adapter))
      report(finding.verdict === 'good', `${name}: ${lineOf(finding)}`)
  } catch (error) {
    report(false, `${name}: ${(error as Error).message}`)
  } finally {
    await adapter.close()
  }
}

/** Reports the node's abilities. Times are real times, because chains have no business clock. */
const reportAbilities = async (
  settings: ChainSettings,
  { network, name, assets }: { network: Network; name: string; assets: Catalogue },
  report: Report,
  note: Note,
): Promise<void> => {
  const tokens = tokensOf(assets).get(network) ?? []
  for (const finding of await surveyNode(settings, network, { tokens, now: Date.now() })) {
    const line = `${name}: ${lineOf(finding)}`
    if (finding.verdict === 'unknown') note(line)
    else
      report(
        finding.verdict === 'good',
        finding.neededBy.length === 0 ? line : `${line} (needed by ${finding.neededBy.join(' and ')})`,
      )
  }
}
