import type { Network } from '@bursar/chainkit'
import { createAdapters, identityOf } from '../../adapters/chains/index.ts'
import type { ChainSettings } from '../../adapters/chains/index.ts'
import { lineOf, surveyNode } from '../../adapters/chains/survey/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { watchStatus } from '../../chain/watcher/index.ts'
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
  for (const [network, adapter] of createAdapters(networks, tokensOf(assets))) {
    try {
      const [identity, head] = await Promise.all([adapter.identity(), adapter.head()])
      const configured = identityOf(networks, network)
      const isRight = identity === configured
      const other = `, but BURSAR_NETWORKS_FILE names chain ${configured}: set \`url\` to a node of that chain`
      report(isRight, `${network}: node of chain ${identity}, head ${head.height}${isRight ? '' : other}`)
      const read = statuses.get(network)
      report(
        read !== undefined,
        `${network}: ${read ? `read to ${read.height}, final to ${read.finalHeight}` : 'not read yet: is a watcher running?'}`,
      )
      await reportNode(networks, network, assets, report, note)
      for (const finding of await surveyDecimals(assets, network, adapter))
        report(finding.standing === 'good', `${network}: ${lineOf(finding)}`)
    } catch (error) {
      report(false, `${network}: ${(error as Error).message}`)
    } finally {
      await adapter.close()
    }
  }
}

/** Reports the node's abilities. Times are real times, because chains have no business clock. */
const reportNode = async (
  networks: ChainSettings,
  network: Network,
  assets: Catalogue,
  report: Report,
  note: Note,
): Promise<void> => {
  const tokens = tokensOf(assets).get(network) ?? []
  for (const finding of await surveyNode(networks, network, { tokens, now: Date.now() })) {
    const line = `${network}: ${lineOf(finding)}`
    if (finding.standing === 'unknown') note(line)
    else
      report(
        finding.standing === 'good',
        finding.neededBy.length === 0 ? line : `${line} (needed by ${finding.neededBy.join(' and ')})`,
      )
  }
}
