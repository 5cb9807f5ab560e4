import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Db } from '../db/index.ts'
import { bitcoinHotAddress, evmHotAddress, tronHotAddress, type WalletKeys } from './wallet.ts'

/** Makes the house's own addresses known, so that money sent to them is recognised. Safe to repeat. */
export const ensureWallets = async (db: Db, wallet: WalletKeys, { at }: Moment): Promise<void> => {
  await sql`insert into house_addresses(family, address, account, branch, derivation_index, created_at)
    values ('BITCOIN', ${bitcoinHotAddress(wallet)}, 'hot', 0, 0, ${at}), ('EVM', ${evmHotAddress(wallet)}, 'hot', 0, 0, ${at}),
      ('TRON', ${tronHotAddress(wallet)}, 'hot', 0, 0, ${at})
    on conflict do nothing`.execute(db)
}
