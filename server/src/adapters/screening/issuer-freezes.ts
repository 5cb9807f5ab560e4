import type { Network } from '@bursar/chainkit'
import { ScreeningUnavailable, type Screener } from './port.ts'
import { noSignals } from './signals.ts'

/**
 * Reports addresses that issuers of dollar tokens have frozen on a network, for every asset, by the single signal
 * `enforcement_action`.
 * @param frozenBy returns the tickers whose issuer has frozen the address; undefined on a network without such tokens
 */
export const createIssuerFreezes = (
  frozenBy: (network: Network, address: string) => Promise<readonly string[] | undefined>,
  now: () => number,
): Screener => {
  const screen: Screener['screen'] = async ({ network, others }) => {
    const flags: string[] = []
    let asked = false
    for (const address of new Set(others)) {
      const tickers = await frozenBy(network, address).catch((error: unknown) => {
        throw new ScreeningUnavailable(`issuer-freezes: ${(error as Error).message}`, { cause: error })
      })
      asked ||= tickers !== undefined
      flags.push(...(tickers ?? []).map((ticker) => `${address} is frozen by the issuer of ${ticker}`))
    }
    if (!asked) return { kind: 'nothing' }
    const frozen = flags.length > 0
    const signals = { ...noSignals(), enforcement_action: frozen ? 100 : 0 }
    return { kind: 'report', report: { riskScore: frozen ? 1 : 0, signals, flags, madeAt: now(), raw: { flags } } }
  }
  return { name: 'issuer-freezes', screen, recheck: (subject) => screen(subject) }
}
