import { isEvmNetwork, type Network } from '@bursar/chainkit'
import {
  depositAddress,
  isFirstSeedStolen,
  knowHotAddresses,
  noteStolenSeed,
  sampleAddresses,
  type AddressFamily,
} from '../addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db } from '../../platform/db/index.ts'
import { bitcoinHotKey, bitcoinKey, evmHotKeyAt, evmHotKeys, tronHotAddress, type WalletKeys } from './wallet.ts'

/**
 * Records the platform's own addresses, so that money sent to them is recognised. Idempotent.
 * @param evmCount hot addresses on EVM chains
 */
export const ensureWallets = async (db: Db, wallet: WalletKeys, { at }: Moment, evmCount = 1): Promise<void> => {
  const all = [
    { family: 'BITCOIN' as const, ...bitcoinHotKey(wallet) },
    { family: 'TRON' as const, address: tronHotAddress(wallet), index: 0 },
    ...evmHotKeys(wallet, evmCount).map((key) => ({ family: 'EVM' as const, ...key })),
  ]
  await knowHotAddresses(db, 0, wallet.next?.evm ? [...all, ...oldHotAddresses(wallet, evmCount)] : all, at)
  if (wallet.next?.isFirstStolen && wallet.next.evm) await noteStolenSeed(db, at)
}

/** The hot addresses on EVM chains of a first seed that a second has replaced. */
const oldHotAddresses = (wallet: WalletKeys, count: number) =>
  Array.from({ length: count }, (_, index) => ({ family: 'EVM' as const, ...evmHotKeyAt(wallet, index) }))

/**
 * Checks that the keys of a second seed, if there are any, contain those of each network. Otherwise new addresses of a
 * network would come from the seed that was replaced.
 * @throws an Error that names the network
 */
export const requireNextKeys = ({ next }: WalletKeys, networks: Iterable<Network>): void => {
  if (next === undefined) return
  for (const network of networks) {
    if (network === 'BITCOIN' || (isEvmNetwork(network) && next.evm !== undefined)) continue
    throw new Error(
      `BURSAR_XPUBS_FILE has a second seed without keys for ${network}: print it anew with \`bursar-signer xpubs\`, by a signer that can rotate ${network}`,
    )
  }
}

/**
 * Checks that the database's addresses derive from these keys: one deposit address of each family and the first hot
 * address of each seed. Addresses of another seed beside them would receive money that this signer's policy does not
 * cover, or that no key can spend. A process whose file does not say that another party may have the first seed would
 * not treat it so.
 * @throws an Error that names an address which does not derive, or the missing statement
 */
export const requireSameKeys = async (db: Db, wallet: WalletKeys): Promise<void> => {
  const hotAddress = (family: AddressFamily, index: number): string => {
    if (family === 'BITCOIN') return bitcoinKey(wallet, { account: 'hot', branch: 0, index }).address
    return family === 'EVM' ? evmHotKeyAt(wallet, index).address : tronHotAddress(wallet)
  }
  if (wallet.next?.isFirstStolen !== true && (await isFirstSeedStolen(db)))
    throw new Error(
      'This database records that another party may have the first seed, and BURSAR_XPUBS_FILE does not: print it anew with `bursar-signer xpubs`',
    )
  for (const { family, account, index, address } of await sampleAddresses(db)) {
    const derived = account === 'hot' ? hotAddress(family, index) : depositAddress(wallet, family, index)
    if (derived === address) continue
    throw new Error(
      `BURSAR_XPUBS_FILE holds the keys of another seed than this database was made with: the ${family} address ${index} of account ${account} is ${address} here, and ${derived} by these keys`,
    )
  }
}
