import { sql } from 'kysely'
import { depositAddress, type AddressFamily } from '../addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db } from '../../platform/db/index.ts'
import { bitcoinHotAddress, evmHotKeys, tronHotAddress, type HotKey, type WalletKeys } from './wallet.ts'

/**
 * Makes the platform's own addresses known, so that money sent to them is recognised. Safe to repeat.
 * @param evmCount hot addresses on EVM chains
 */
export const ensureWallets = async (db: Db, wallet: WalletKeys, { at }: Moment, evmCount = 1): Promise<void> => {
  const all: [family: string, key: HotKey][] = [
    ['BITCOIN', { address: bitcoinHotAddress(wallet), index: 0 }],
    ['TRON', { address: tronHotAddress(wallet), index: 0 }],
    ...evmHotKeys(wallet, evmCount).map((key): [string, HotKey] => ['EVM', key]),
  ]
  await sql`insert into house_addresses(family, address, account, branch, derivation_index, created_at)
    select f, a, 'hot', 0, i, ${at} from unnest(${all.map(([family]) => family)}::text[], ${all.map(([, { address }]) => address)}::text[],
      ${all.map(([, { index }]) => index)}::bigint[]) x(f, a, i)
    on conflict do nothing`.execute(db)
}

/**
 * Checks that the database's addresses derive from these keys: one deposit address of each family and the first hot
 * address. Handing out addresses of another seed beside them would leave money where this signer's policy, or no key,
 * reaches it.
 * @throws an Error that names an address which does not derive
 */
export const requireSameKeys = async (db: Db, wallet: WalletKeys): Promise<void> => {
  const { rows } = await sql<{ family: AddressFamily; account: 'hot' | 'deposit'; index: number; address: string }>`
    select family, account, derivation_index as index, address from house_addresses where account = 'hot' and branch = 0 and derivation_index = 0
    union all
    select f, 'deposit', a.derivation_index, a.address from unnest(array['BITCOIN', 'EVM', 'TRON']) f
    cross join lateral (select derivation_index, address from addresses where family = f limit 1) a`.execute(db)
  const hot = {
    BITCOIN: bitcoinHotAddress(wallet),
    EVM: evmHotKeys(wallet, 1)[0]!.address,
    TRON: tronHotAddress(wallet),
  }
  for (const { family, account, index, address } of rows) {
    const derived = account === 'hot' ? hot[family] : depositAddress(wallet, family, index)
    if (derived === address) continue
    throw new Error(
      `BURSAR_XPUBS_FILE holds the keys of another seed than this database was made with: the ${family} address ${index} of account ${account} is ${address} here, and ${derived} by these keys`,
    )
  }
}
