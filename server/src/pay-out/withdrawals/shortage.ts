import type { Network } from '@bursar/chainkit'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

/** Tells that withdrawals wait for money. @returns false: nothing was planned */
export const alertShort = async (
  { runtime, hotAddress }: { runtime: Runtime; hotAddress: string },
  network: Network,
  ticker: string,
): Promise<false> => {
  const text = `The hot wallet ${hotAddress} on ${network} has too little ${ticker} for the withdrawals that wait: send it more`
  await raiseAlert(runtime.db, { kind: 'hot-wallet-short', subject: `${network}/${ticker}`, text }, momentOf(runtime))
  return false
}

export const noLongerShort = ({ runtime }: { runtime: Runtime }, network: Network, ticker: string): Promise<void> =>
  resolveAlert(runtime.db, 'hot-wallet-short', `${network}/${ticker}`, momentOf(runtime).at)
