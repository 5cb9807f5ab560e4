import { NATIVE_TICKER } from '@bursar/chainkit'
import { coinUnderWay, currentState, loadOf, readPlanned, takeExpected } from '../../../chain/transactions/index.ts'
import type { Tx } from '../../../platform/db/index.ts'
import { raiseAlert, resolveAlert } from '../../../platform/runtime/alerts.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { subjectOf, Taken, type EvmRound } from './sweeping.ts'

/**
 * Checks that the hot wallet has the coin for one more transaction, after all unconfirmed ones.
 * @param wei the most it costs
 * @returns number of transactions planned from the hot address before its balance was read, for `takeNonceOf`;
 *   undefined when the coin is too little
 */
export const canPay = async (round: EvmRound, wei: bigint): Promise<number | undefined> => {
  const { runtime, network, hotAddress } = round
  // In the order of `readMembers` of withdrawals: the count, unmined transactions, the chain's state.
  const planned = await readPlanned(runtime.db, network, hotAddress)
  const { fees } = await loadOf(runtime.db, network, hotAddress)
  const sent = (await coinUnderWay(runtime.db, network, [hotAddress])).get(hotAddress) ?? 0n
  const [coin] = await (await currentState(round)).balances([{ address: hotAddress, contract: null }])
  const alert =
    round.firstSeed === undefined
      ? ({ kind: 'hot-wallet-short', subject: `${network}/gas` } as const)
      : ({ kind: 'first-seed-gas', subject: subjectOf(round) } as const)
  if (coin! - fees - sent >= wei) {
    await resolveAlert(runtime.db, alert.kind, alert.subject, momentOf(runtime).at)
    return planned
  }
  const owner = round.firstSeed === undefined ? 'hot wallet' : 'hot address of the first seed'
  const text = `The ${owner} ${hotAddress} on ${network} has too little ${NATIVE_TICKER[network]} for sweeps, which cost up to ${wei} wei: send it more`
  await raiseAlert(runtime.db, { ...alert, text }, momentOf(runtime))
  return undefined
}

/**
 * Takes the nonce for which `canPay` has found coin. Throws `Taken` when another transaction of the hot address was
 * planned meanwhile: it may spend the same coin.
 */
export const takeNonceOf = async (
  tx: Tx,
  { network, hotAddress }: EvmRound,
  planned: number,
  at: Date,
): Promise<number> => {
  const nonce = await takeExpected(tx, network, hotAddress, planned, at)
  if (nonce === undefined) throw new Taken()
  return nonce
}

export const ignoreTaken = (error: unknown): void => {
  if (!(error instanceof Taken)) throw error
}
