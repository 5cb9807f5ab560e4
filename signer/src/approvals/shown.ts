import { NATIVE_DECIMALS, NATIVE_TICKER } from '@bursar/chainkit'
import type { Network } from '@bursar/chainkit'
import type { Policy } from '../policy/policy.ts'
import type { Intent } from '../protocol/protocol.ts'

const GROUP = 4

/**
 * Writes an intent's amount with its ticker: in whole coins when the decimals are those of a network's own coin or are
 * in the policy, otherwise in base units.
 */
export function amountOf(policy: Policy | undefined, network: Network, { asset, units }: Intent): string {
  const decimals =
    asset === NATIVE_TICKER[network]
      ? NATIVE_DECIMALS[network]
      : policy?.networks.get(network)?.assets.get(asset)?.decimals
  return decimals === undefined ? `${units} base units of ${asset}` : `${wholeCoins(units, decimals)} ${asset}`
}

/** @param units decimal digits */
function wholeCoins(units: string, decimals: number): string {
  if (decimals === 0) return units
  const digits = units.padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Cuts an address into groups of four characters, so that a person can compare it with another one. */
export function groupsOf(address: string): string[] {
  return address.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? []
}
