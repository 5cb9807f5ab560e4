import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Db } from '../db/index.ts'
import { bitcoinHotAddress, evmHotKeys, tronHotAddress, type HotKey, type WalletKeys } from './wallet.ts'

/**
 * Makes the house's own addresses known, so that money sent to them is recognised. Safe to repeat.
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
