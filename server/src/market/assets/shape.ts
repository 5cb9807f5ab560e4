import { NETWORKS } from '@bursar/chainkit'
import { objectOfKeys } from '../../platform/base/unknown-keys.ts'
import type { AssetSettings } from './catalogue.ts'

const FEE = ['fixed', 'bps']
const ON_NETWORK = [
  'contract',
  'decimals',
  'minDeposit',
  'minWithdrawal',
  'maxWithdrawal',
  'depositFee',
  'withdrawalFee',
]

const checkFees = (where: string, owner: Readonly<Record<string, unknown>>, names: readonly string[]): void => {
  for (const name of names) if (owner[name] !== undefined) objectOfKeys(`${where}.${name}`, owner[name], FEE)
}

const listOf = (file: Readonly<Record<string, unknown>>, name: string): readonly unknown[] => {
  const list = file[name]
  if (!Array.isArray(list)) throw new Error(`${name} is a list`)
  return list
}

/**
 * Holds `BURSAR_ASSETS_FILE` to its shape: objects and lists where they belong, and no member that nothing reads.
 * Throws an Error that names the place.
 */
export const readAssetSettings = (json: unknown): AssetSettings => {
  const file = objectOfKeys('the file', json, ['crypto', 'fiat'])
  for (const [i, one] of listOf(file, 'crypto').entries()) {
    const { ticker, networks } = objectOfKeys(`crypto[${i}]`, one, ['ticker', 'name', 'networks'])
    for (const [network, on] of Object.entries(objectOfKeys(`${String(ticker)}.networks`, networks, NETWORKS))) {
      const where = `${String(ticker)}.networks.${network}`
      checkFees(where, objectOfKeys(where, on, ON_NETWORK), ['depositFee', 'withdrawalFee'])
    }
  }
  for (const [i, one] of listOf(file, 'fiat').entries()) {
    const { ticker, payIn, payout } = objectOfKeys(`fiat[${i}]`, one, ['ticker', 'name', 'scale', 'payIn', 'payout'])
    if (payIn !== undefined)
      checkFees(`${String(ticker)}.payIn`, objectOfKeys(`${String(ticker)}.payIn`, payIn, ['min', 'max', 'fee']), [
        'fee',
      ])
    if (payout !== undefined)
      checkFees(
        `${String(ticker)}.payout`,
        objectOfKeys(`${String(ticker)}.payout`, payout, ['min', 'max', 'fee', 'batchMax']),
        ['fee'],
      )
  }
  return json as AssetSettings
}
