import type { KeyOrigin } from '@bursar/chainkit/bitcoin'
import { firstIndex, knowHotAddresses, takeIndexes } from '../addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { bitcoinKey, type WalletKeys } from './wallet.ts'

/** An address of the hot wallet that was not handed out, for our own change. */
export interface ChangeKey {
  index: number
  address: string
  script: Uint8Array
  origin: KeyOrigin
}

/**
 * Takes the next unused change address. A taken and unused address leaves a gap, so take it only when a plan is
 * possible.
 */
export const takeChange = async (db: Db, wallet: WalletKeys): Promise<ChangeKey> => {
  return changeAt(wallet, await takeIndexes(db, 'BITCOIN', 'hot', 1, 1, firstIndex(wallet, 'BITCOIN')))
}

/** Returns any change address, to calculate sizes with: all have scripts of the same length. */
export const anyChange = (wallet: WalletKeys): ChangeKey => changeAt(wallet, 0)

const changeAt = (wallet: WalletKeys, index: number): ChangeKey => ({
  index,
  ...bitcoinKey(wallet, { account: 'hot', branch: 1, index }),
})

/** Records a change address as ours, for the watcher, in the transaction that stores a payment to it. */
export const knowChange = async (tx: Tx, { address, index }: ChangeKey, at: Date): Promise<void> => {
  await knowHotAddresses(tx, 1, [{ family: 'BITCOIN', address, index }], at)
}
