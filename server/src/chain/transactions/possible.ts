/** Transactions that the signer signed for a payment, any of which may be mined. */
import { isEvmNetwork } from '@bursar/chainkit'
import type { SignedTransaction } from '../../adapters/signer/port.ts'
import type { Lost } from './conflicts.ts'
import type { SendingDeps } from './sending.ts'
import { attemptsOf } from './store.ts'
import type { Outgoing } from './transaction.ts'

/** Kind of the alert about a payment that waits because one of its transactions may still be mined. */
export const UNCLEAR = 'overtaken-unclear'

/** Every transaction that the signer signed for one of these payments. */
export const signedFor = async (
  { signer }: Pick<SendingDeps, 'signer'>,
  intents: readonly string[],
): Promise<SignedTransaction[]> => {
  const all = new Map<string, SignedTransaction>()
  for (const id of intents) for (const one of await signer.transactionsOf(id)) all.set(one.hash, one)
  return [...all.values()]
}

/** Returns the hash of a signed transaction that could still be mined, including ours that the signer does not know. */
export const stillPossible = async (
  { runtime }: Pick<SendingDeps, 'runtime'>,
  outgoing: Pick<Outgoing, 'id'>,
  signed: readonly SignedTransaction[],
  lost: readonly Pick<Lost, 'key'>[],
): Promise<string | undefined> => {
  const keys = new Set(lost.map(({ key }) => key))
  const alive = signed.find((transaction) => !keysOf(transaction).some((key) => keys.has(key)))
  if (alive) return alive.hash
  const hashes = new Set(signed.map(({ hash }) => hash))
  return (
    (await attemptsOf(runtime.db, outgoing.id)).find(({ hash }) => hash !== null && !hashes.has(hash))?.hash ??
    undefined
  )
}

/** Returns keys as blocks name them: the signer puts the chain's id before address and nonce. */
const keysOf = ({ network, conflictKeys }: SignedTransaction): string[] =>
  isEvmNetwork(network) ? conflictKeys.map((key) => key.slice(key.indexOf(':') + 1)) : conflictKeys
