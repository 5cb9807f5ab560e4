import { isEvmNetwork, isRefused, type Network } from '@bursar/chainkit'
import { parseAddress as parseBitcoin, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import { parseAddress as parseEvm } from '@bursar/chainkit/evm'
import { parseAddress as parseTron } from '@bursar/chainkit/tron'
import { familyOf, knowColdAddress } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db } from '../../platform/db/index.ts'
import type { TreasuryPolicy } from '../reconciliation/index.ts'

/**
 * Records the cold addresses of the policy as the platform's own, so that transfers to them are watched and counted as
 * ours. An address that leaves the policy stays recorded. Idempotent. Throws when one is not a canonical address, or is
 * a deposit or hot address.
 */
export const ensureColdAddresses = async (
  db: Db,
  policies: Readonly<Record<Network, TreasuryPolicy>>,
  bitcoinChain: BitcoinChain,
  { at }: Moment,
): Promise<void> => {
  for (const [network, { hot }] of Object.entries(policies) as [Network, TreasuryPolicy][]) {
    for (const [ticker, { cold }] of hot) {
      if (cold === null) continue
      if (canonical(network, cold, bitcoinChain) !== cold)
        throw new Error(`policy: ${network}.hot.${ticker}.cold is not an address as ${network} writes it`)
      if (!(await knowColdAddress(db, familyOf(network), cold, at)))
        throw new Error(`policy: ${network}.hot.${ticker}.cold is an address whose key is here`)
    }
  }
}

const canonical = (network: Network, text: string, chain: BitcoinChain): string | undefined => {
  const parsed =
    network === 'BITCOIN' ? parseBitcoin(text, chain) : (isEvmNetwork(network) ? parseEvm : parseTron)(text)
  return isRefused(parsed) ? undefined : parsed.address
}
