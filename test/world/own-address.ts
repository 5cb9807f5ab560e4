/** Addresses of the platform, recorded as the program records them when it starts. */
import { knowColdAddress, knowHotAddresses, type AddressFamily } from '../../server/src/chain/addresses/index.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** @param account `change`: an address of the hot wallet that only takes change */
export const recordOwn = async (
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  family: AddressFamily,
  account: 'hot' | 'change' | 'cold',
  address: string,
  index = 0,
): Promise<void> => {
  const at = new Date(clock.business())
  if (account !== 'cold') return knowHotAddresses(db, account === 'hot' ? 0 : 1, [{ family, address, index }], at)
  if (!(await knowColdAddress(db, family, address, at))) throw new Error(`${address} is a deposit or hot address`)
}
