import type { Network } from '@bursar/chainkit'
import { ChainUnavailable, NoDecimals } from '../../adapters/chains/index.ts'
import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from '../../adapters/chains/port.ts'
import type { Finding, NodeRole } from '../../adapters/chains/survey/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

const NEEDED_BY: readonly NodeRole[] = ['watcher', 'worker']

/** A token of a network, with its decimals in the settings. */
interface Token {
  ticker: string
  contract: string
  decimals: number
}

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
  for (const token of tokensOn(catalogue, network)) findings.push(await surveyToken(adapter, token))
  return findings
}

const surveyToken = async (
  adapter: AccountChainAdapter | TronChainAdapter,
  { ticker, contract, decimals }: Token,
): Promise<Finding> => {
  const about = `decimals of ${ticker}`
  try {
    const stated = await adapter.tokenDecimals(contract)
    if (stated === decimals) return { about, verdict: 'good', text: String(stated), change: null, neededBy: [] }
    const text = `its contract ${contract} has ${stated}, and the settings have ${decimals}`
    const change = 'Correct `contract` or `decimals` in BURSAR_ASSETS_FILE'
    return { about, verdict: 'unfit', text, change, neededBy: NEEDED_BY }
  } catch (error) {
    if (error instanceof NoDecimals) {
      const change = 'Make sure that `contract` and `decimals` in BURSAR_ASSETS_FILE are right'
      return { about, verdict: 'poor', text: `its contract ${contract} does not state them`, change, neededBy: [] }
    }
    if (!(error instanceof ChainUnavailable)) throw error
    return { about, verdict: 'unknown', text: error.message, change: null, neededBy: [] }
  }
}

/** How long a contract's answer is used. Its issuer may replace its code. */
const CHECKED_MS = 10 * 60_000

/**
 * Creates a filter of payments on a network. It leaves out tokens whose contracts state other decimals than the
 * settings, because a multiple of the amount would be paid, and tokens for which the node does not answer now. A token
 * whose contract states none is paid.
 */
export const createDecimalsCheck = (
  { clock, log }: Pick<Runtime, 'clock' | 'log'>,
  catalogue: Catalogue,
  adapter: ChainAdapter,
): (<One extends { ticker: string }>(payments: readonly One[]) => Promise<One[]>) => {
  const { network } = adapter
  const checks = new Map(
    readsTokens(adapter)
      ? tokensOn(catalogue, network).map((token) => [
          token.ticker,
          cacheFor(CHECKED_MS, clock.now, () => maySend(adapter, token)),
        ])
      : [],
  )
  const mayPay = async (ticker: string): Promise<boolean> => {
    try {
      return (await checks.get(ticker)?.()) ?? true
    } catch (err) {
      if (!(err instanceof ChainUnavailable)) throw err
      log.warn({ err, network, ticker }, 'the decimals of a token are unknown: it is not paid now')
      return false
    }
  }
  return async (payments) => {
    const tickers = [...new Set(payments.map(({ ticker }) => ticker))]
    const answers = await Promise.all(tickers.map(mayPay))
    const paid = new Set(tickers.filter((_, i) => answers[i]))
    return payments.filter(({ ticker }) => paid.has(ticker))
  }
}

const maySend = async (
  adapter: AccountChainAdapter | TronChainAdapter,
  { contract, decimals }: Token,
): Promise<boolean> => {
  try {
    return (await adapter.tokenDecimals(contract)) === decimals
  } catch (error) {
    if (error instanceof NoDecimals) return true
    throw error
  }
}

const tokensOn = ({ crypto }: Catalogue, network: Network): Token[] =>
  crypto.flatMap(({ ticker, networks }) => {
    const { contract, decimals } = networks.get(network) ?? {}
    return contract && decimals !== undefined ? [{ ticker, contract, decimals }] : []
  })

const readsTokens = (adapter: ChainAdapter): adapter is AccountChainAdapter | TronChainAdapter =>
  'tokenDecimals' in adapter
