import type { KeyOrigin } from '@bursar/chainkit/bitcoin'
import { knowHotAddresses, takeIndexes } from '../addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { bitcoinKey, type WalletKeys } from './wallet.ts'

/** An address of the hot wallet that was not handed out: our own money returns to it. */
export interface ChangeKey {
  index: number
  address: string
  script: Uint8Array
  origin: KeyOrigin
}

/**
 * The next unused change address. One that is taken and not used is a gap, so it is taken when something can be
 * planned.
 */
export const takeChange = async (db: Db, wallet: WalletKeys): Promise<ChangeKey> => {
  return changeAt(wallet, await takeIndexes(db, 'BITCOIN', 'hot', 1, 1))
}

/** Some change address, to reckon sizes with: all have scripts of one length. */
export const anyChange = (wallet: WalletKeys): ChangeKey => changeAt(wallet, 0)

const changeAt = (wallet: WalletKeys, index: number): ChangeKey => ({
  index,
  ...bitcoinKey(wallet, { account: 'hot', branch: 1, index }),
})

/** Has the watcher know it as ours, in the transaction that stores what pays it. */
export const knowChange = async (tx: Tx, { address, index }: ChangeKey, at: Date): Promise<void> => {
  await knowHotAddresses(tx, 1, [{ family: 'BITCOIN', address, index }], at)
}
