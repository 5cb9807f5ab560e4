/** The balances that our addresses should have, and the results of comparing them with a chain. Ledger units. */
import type { Network } from '@bursar/chainkit'
import { moveCustody, recordSurplus, storeComparisons } from '../../server/src/ledger/address-balances/index.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'

export interface CustodyAddress {
  network: Network
  asset: string
  /** canonical */
  address: string
}

const HEIGHT = 10

/** Records that an address has received units. */
export const bookAt = (db: Db, of: CustodyAddress, units: bigint): Promise<void> =>
  inTransaction(db, (tx) => moveCustody(tx, [{ ...of, units, height: HEIGHT }]))

/** Stores a comparison that found `held` units at an address whose record says `booked`. */
export const storeComparison = (
  db: Db,
  { network, asset, address }: CustodyAddress,
  { booked, held }: { booked: bigint; held: bigint },
  at: Date,
): Promise<void> => storeComparisons(db, network, [{ asset, address, booked }], [held], HEIGHT, at)

/** Records units that an address holds and that nothing explains: a surplus that has lasted. */
export const suspendAt = async (db: Db, of: CustodyAddress, units: bigint, at: Date): Promise<void> => {
  await bookAt(db, of, 1n)
  await storeComparison(db, of, { booked: 1n, held: 1n + units }, at)
  await inTransaction(db, async (tx) => {
    await recordSurplus(tx, of.network, at)
    await moveCustody(tx, [{ ...of, units: -1n, height: HEIGHT }])
  })
}
