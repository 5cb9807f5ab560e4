import { encodeTransfer, COIN } from '@bursar/chainkit/evm'
import { NATIVE_TICKER } from '@bursar/chainkit'
import type { AccountState } from '../../../adapters/chains/port.ts'
import { inTransaction, type Tx } from '../../../platform/db/index.ts'
import {
  coinUnderWay,
  currentState,
  insertPlanned,
  loadOf,
  readNonceLines,
  takeExpected,
  type NonceLine,
} from '../../../chain/transactions/index.ts'
import { isolated } from '../../../platform/jobs/index.ts'
import { raiseAlert, resolveAlert } from '../../../platform/runtime/alerts.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import type { EvmChoice } from './choice.ts'
import type { EvmAccount, EvmHolding } from './account.ts'
import { batchGas, fitBatch, planBatch, type BatchMember } from './batch.ts'
import { Taken, type EvmRound } from './sweeping.ts'
import type { GasRate } from './gas-price.ts'
import { ignoreTaken } from './jobs-contracts.ts'
import { insertSweeps, moveSweeps, type NewSweep } from '../store.ts'

/** Gas of coin sent by the delegate, in addition to a payment by the address itself: a call with value, and its log. */
const INNER_COIN_GAS = 24_000n

/**
 * Plans transactions that empty many addresses at once. Addresses with failed sweeps go alone, one at a time, so that
 * they cost the others nothing. Returns true when it planned any.
 */
export const planBatches = async (round: EvmRound, choices: readonly EvmChoice[], rate: GasRate): Promise<boolean> => {
  const { members, fail } = await estimated(round, await currentState(round), choices)
  const failing = members.filter(({ holdings }) => holdings.some(({ failures }) => failures > 0))
  const sound = members.filter((member) => !failing.includes(member))
  const batches = [sound.slice(0, round.policy.batch), failing.slice(0, 1)].filter((batch) => batch.length > 0)
  let planned = false
  for (const batch of batches) planned = (await planOne(round, batch, rate)) || planned
  fail()
  return planned
}

/**
 * Estimates the gas of each transfer alone. A transfer that its token would refuse is left out and tried again later.
 * An address whose estimates fail does not delay the others: `fail` throws the first failure after they are planned.
 */
export const estimated = async (
  round: EvmRound,
  state: AccountState,
  choices: readonly EvmChoice[],
): Promise<{ members: BatchMember[]; fail(): void }> => {
  const members: BatchMember[] = []
  const chosen = choices.slice(0, round.policy.batch * 2)
  const fail = await isolated(chosen, async ({ account, holdings }) => {
    const gas = await Promise.all(holdings.map((holding) => transferGas(round, state, account, holding)))
    const refused = holdings.filter((_, i) => gas[i] === undefined)
    if (refused.length > 0) await noteRefused(round, account, refused)
    const kept = holdings.flatMap((holding, i) =>
      gas[i] === undefined ? [] : [{ ...holding, gas: holding.on === COIN ? gas[i] + INNER_COIN_GAS : gas[i] }],
    )
    if (kept.length > 0) members.push({ account, holdings: kept })
  })
  return { members, fail }
}

/**
 * Returns the gas of a transfer by the address itself; undefined when the transfer would be refused. A payment of coin
 * takes the same gas whatever its amount.
 */
export const transferGas = async (
  { hotAddress }: EvmRound,
  state: AccountState,
  { holder }: EvmAccount,
  { on, amount }: EvmHolding,
): Promise<bigint | undefined> => {
  const call =
    on === COIN
      ? { to: hotAddress, value: 1n, data: '0x' }
      : { to: on, value: 0n, data: encodeTransfer(hotAddress, amount) }
  const estimate = await state.estimateGas({ from: holder.address, ...call })
  return estimate.ok ? estimate.gas : undefined
}

/** Records a sweep as failed for which no transaction is worthwhile. */
export const noteRefused = async (
  round: EvmRound,
  account: EvmAccount,
  holdings: readonly EvmHolding[],
): Promise<void> => {
  const { runtime } = round
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const rows = holdings.map((holding): NewSweep => ({
      ...rowOf(round, account, holding),
      id: moment.newId(),
      way: 'refused',
      state: 'planned',
      fundingId: null,
      outgoingId: null,
    }))
    if (!(await insertSweeps(tx, rows, moment))) throw new Taken()
    await moveSweeps(tx, { ids: rows.map(({ id }) => id) }, 'dropped', moment.at)
  }).catch(ignoreTaken)
}

export const rowOf = (
  { network }: EvmRound,
  { holder }: EvmAccount,
  { asset, units }: EvmHolding,
): Omit<NewSweep, 'id' | 'way' | 'state' | 'fundingId' | 'outgoingId'> => ({
  network,
  asset,
  address: holder.address,
  merchantId: holder.merchantId,
  derivationIndex: holder.derivationIndex,
  units,
})

const planOne = async (round: EvmRound, all: readonly BatchMember[], rate: GasRate): Promise<boolean> => {
  const { runtime, network, chainId, contracts, hotAddress, sending } = round
  const rules = { delegate: contracts.delegate.address, authorization: round.authorization }
  const members = fitBatch(all, { ...rules, rate, most: sending.maxBatchFee })
  if (members.length === 0) return alertDear(round, batchGas(all.slice(0, 1), rules) * rate.maxFeePerGas)
  const line = await canPay(round, batchGas(members, rules) * rate.maxFeePerGas)
  if (!line) return false
  await round.pause('sweep-chosen')
  try {
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const nonce = await takeNonceOf(tx, round, line, moment.at)
      const plan = planBatch({ members, contracts, authorization: round.authorization, chainId, nonce, rate })
      const id = moment.newId()
      await insertPlanned(
        tx,
        {
          id,
          network,
          purpose: 'sweep',
          senders: [hotAddress],
          nonce,
          keys: [`${hotAddress}:${nonce}`],
          feeRate: rate,
          ...plan,
        },
        moment,
      )
      const rows = members.flatMap(({ account, holdings }) =>
        holdings.map((holding): NewSweep => ({
          ...rowOf(round, account, holding),
          id: moment.newId(),
          way: 'delegate',
          state: 'carried',
          fundingId: null,
          outgoingId: id,
        })),
      )
      // A rollback also releases the nonce taken here.
      if (!(await insertSweeps(tx, rows, moment))) throw new Taken()
    })
  } catch (error) {
    ignoreTaken(error)
    return false
  }
  await round.pause('sweep-planned')
  return true
}

const alertDear = async ({ runtime, network, sending }: EvmRound, fee: bigint): Promise<false> => {
  const text = `Nothing is swept on ${network}: one address would cost up to ${fee} wei, above the cap of ${sending.maxBatchFee}`
  await raiseAlert(runtime.db, { kind: 'sweep-dear', subject: network, text }, momentOf(runtime))
  return false
}

/**
 * Checks that the hot wallet has the coin for one more transaction, after all unconfirmed ones.
 * @param wei the most it costs
 * @returns the nonces of the hot address as they were read before its balance, for `takeNonceOf`; undefined when the
 *   coin is too little
 */
export const canPay = async (round: EvmRound, wei: bigint): Promise<NonceLine | undefined> => {
  const { runtime, network, hotAddress } = round
  // In the order of `readMembers` of withdrawals: nonces, what is on its way, the chain's state.
  const line = (await readNonceLines(runtime.db, network, [hotAddress])).get(hotAddress)
  if (!line) throw new Error(`${hotAddress} is not set up as a hot address on ${network}`)
  const { fees } = await loadOf(runtime.db, network, hotAddress)
  const sent = (await coinUnderWay(runtime.db, network, [hotAddress])).get(hotAddress) ?? 0n
  const [coin] = await (await currentState(round)).balances([{ address: hotAddress, contract: null }])
  const subject = `${network}/gas`
  if (coin! - fees - sent >= wei) {
    await resolveAlert(runtime.db, 'hot-wallet-short', subject, momentOf(runtime).at)
    return line
  }
  const text = `The hot wallet ${hotAddress} on ${network} has too little ${NATIVE_TICKER[network]} for sweeps, which cost up to ${wei} wei: send it more`
  await raiseAlert(runtime.db, { kind: 'hot-wallet-short', subject, text }, momentOf(runtime))
  return undefined
}

/**
 * Takes the nonce for which `canPay` has found coin. Throws `Taken` when another transaction of the hot address was
 * planned meanwhile: it may spend the same coin.
 */
export const takeNonceOf = async (
  tx: Tx,
  { network, hotAddress }: EvmRound,
  line: NonceLine,
  at: Date,
): Promise<number> => {
  const nonce = await takeExpected(tx, network, hotAddress, { line }, at)
  if (nonce === undefined) throw new Taken()
  return nonce
}
