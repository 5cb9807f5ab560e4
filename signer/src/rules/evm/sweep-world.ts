import { NATIVE_TICKER } from '@bursar/chainkit'
import { COIN } from '@bursar/chainkit/evm'
import type { Hex, UnsignedTransaction } from '@bursar/chainkit/evm'
import { signRead } from './payment.ts'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { EvmPolicy } from '../../policy/policy.ts'
import type { KeyReference } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'
import type { SweepPolicy } from '../../policy/sweep-policy.ts'

/** The inputs of the judgement of every kind of sweep. */
export interface SweepWorld {
  policy: EvmPolicy
  sweep: SweepPolicy
  keyring: Keyring
  /** The sender's key, then the keys of the deposit addresses */
  keys: KeyReference[]
  /** The keys' addresses, in the same order */
  addresses: Hex[]
}

export interface Judged extends Pick<Judgement, 'sign' | 'authorizations'> {
  /** wei that the sender pays for the gas of other addresses, in addition to its own gas */
  spent: bigint
}

export function ordinary(transaction: UnsignedTransaction, { keyring, keys, addresses }: SweepWorld): Judged {
  return { spent: 0n, sign: () => signRead(transaction, keys[0]!, addresses[0]!, keyring) }
}

export function requireSponsor({ keys }: SweepWorld): void {
  if (keys[0]!.account !== 'hot') throw new Refusal('key-mismatch', 'A batch is paid by a hot wallet')
}

/** Throws a Refusal unless the addresses in the call are those of the keys; in the same order if each of them signs. */
export function requireAccounts(accounts: readonly Hex[], { addresses }: SweepWorld, inOrder = false): void {
  const ours = addresses.slice(1)
  if (new Set(accounts).size !== accounts.length) throw new Refusal('unknown-output', 'An address is swept twice')
  const [wanted, named] = inOrder ? [accounts, ours] : [accounts.toSorted(), ours.toSorted()]
  if (wanted.length === 0 || wanted.join() !== named.join()) {
    throw new Refusal('key-mismatch', 'The addresses that are swept are not those of the keys that are named')
  }
}

/** The ticker of a swept asset. Throws a Refusal unless the policy allows signing for it. */
export function requireTicker(asset: Hex, { network, assets }: EvmPolicy): string {
  const isAsset = ([ticker, { contract }]: [string, { contract?: string }]): boolean =>
    asset === COIN ? ticker === NATIVE_TICKER[network] : contract === asset
  const [ticker, found] = [...assets].find(isAsset) ?? []
  if (ticker === undefined || !found) throw new Refusal('unknown-asset', `${asset} is not in the policy of ${network}`)
  if (!found.enabled) throw new Refusal('disabled', `Signing of ${ticker} is switched off`)
  return ticker
}
