import type { Network } from '@bursar/chainkit'
import { ChainUnavailable } from '../../adapters/chains/index.ts'
import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from '../../adapters/chains/port.ts'
import type { Finding, NodeRole } from '../../adapters/chains/survey/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'

const NEEDED_BY: readonly NodeRole[] = ['watcher', 'worker']

/**
 * Compares the decimals of a network's tokens in the settings with those that their contracts state. With other ones
 * each amount of the token would be credited and paid out multiplied. A contract that does not answer is `unknown`.
 */
export const surveyDecimals = async (
  catalogue: Catalogue,
  network: Network,
  adapter: ChainAdapter,
): Promise<Finding[]> => {
  if (!readsTokens(adapter)) return []
  const findings: Finding[] = []
  for (const { ticker, networks } of catalogue.crypto) {
    const { contract, decimals } = networks.get(network) ?? {}
    if (!contract) continue
    const about = `decimals of ${ticker}`
    try {
      const stated = await adapter.tokenDecimals(contract)
      const isRight = stated === decimals
      findings.push({
        about,
        standing: isRight ? 'good' : 'unfit',
        text: isRight ? String(stated) : `its contract ${contract} has ${stated}, and the settings have ${decimals}`,
        change: isRight ? null : 'Correct `contract` or `decimals` in BURSAR_ASSETS_FILE',
        neededBy: isRight ? [] : NEEDED_BY,
      })
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      findings.push({ about, standing: 'unknown', text: error.message, change: null, neededBy: [] })
    }
  }
  return findings
}

const readsTokens = (adapter: ChainAdapter): adapter is AccountChainAdapter | TronChainAdapter =>
  'tokenDecimals' in adapter
