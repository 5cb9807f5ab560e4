import type { Network } from '@bursar/chainkit'
import { balancesOf } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { checkDestination, type Rules } from '../withdrawals/index.ts'

/** An asset on a network on which an address can be paid. */
export interface Offer {
  ticker: string
  network: Network
  /** of the merchant's balance, ledger units */
  available: bigint
}

/** The networks on which an address can be paid: none if it is no address. An EVM address is on several. */
export const networksOf = (to: string, rules: Rules): Network[] =>
  [...rules.catalogue.networks].filter((network) => checkDestination(network, to, rules).ok)

/** The assets in which an address can be paid, those of which the merchant has something first. */
export const offersFor = async (
  db: Db,
  merchantId: string,
  { to, only }: { to: string; only: Network | null },
  rules: Rules,
): Promise<Offer[]> => {
  const networks = networksOf(to, rules).filter((network) => only === null || network === only)
  const pairs = rules.catalogue.crypto.flatMap((asset) =>
    networks.filter((network) => asset.networks.has(network)).map((network) => ({ ticker: asset.ticker, network })),
  )
  const asked = pairs.map(({ ticker }) => ({ merchantId, asset: ticker }))
  const balances = await balancesOf(db, 'merchant', asked)
  const offers = pairs.map((pair, n) => ({ ...pair, available: balances[n]!.posted - balances[n]!.held }))
  return [...offers.filter(({ available }) => available > 0n), ...offers.filter(({ available }) => available <= 0n)]
}
