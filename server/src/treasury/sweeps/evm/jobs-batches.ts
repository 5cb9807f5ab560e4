import { encodeTransfer, COIN } from '@bursar/chainkit/evm'
import type { AccountState } from '../../../adapters/chains/port.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { currentState } from '../../../chain/transactions/index.ts'
import { isolated } from '../../../platform/jobs/index.ts'
import { raiseAlert } from '../../../platform/runtime/alerts.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import type { EvmChoice } from './choice.ts'
import type { EvmAccount, EvmHolding } from './account.ts'
import { batchGas, fitBatch, planBatch, type BatchMember } from './batch.ts'
import { subjectOf, Taken, type EvmRound } from './sweeping.ts'
import type { GasRate } from './gas-price.ts'
import { planCarried, rowOf } from './jobs-carried.ts'
import { canPay, ignoreTaken } from './jobs-hot-coin.ts'
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
    const sendable = holdings.flatMap((holding, i) =>
      gas[i] === undefined ? [] : [{ ...holding, gas: holding.on === COIN ? gas[i] + INNER_COIN_GAS : gas[i] }],
    )
    if (sendable.length > 0) members.push({ account, holdings: sendable })
  })
  return { members, fail }
}

/**
 * Returns the gas of a transfer by the address itself; undefined when the transfer would be refused. A payment of coin
 * takes the same gas for any amount.
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

const planOne = async (round: EvmRound, all: readonly BatchMember[], rate: GasRate): Promise<boolean> => {
  const { chainId, contracts, hotIndex, sending } = round
  const rules = { delegate: contracts.delegate.address, authorization: round.authorization }
  const members = fitBatch(all, { ...rules, rate, most: sending.maxBatchFee })
  if (members.length === 0) return alertDear(round, batchGas(all.slice(0, 1), rules) * rate.maxFeePerGas)
  const planned = await canPay(round, batchGas(members, rules) * rate.maxFeePerGas)
  if (planned === undefined) return false
  await round.pause('sweep-chosen')
  return planCarried(round, {
    planned,
    rate,
    way: 'delegate',
    holdings: members.flatMap(({ account, holdings }) => holdings.map((holding) => ({ account, holding }))),
    planOf: (nonce) =>
      planBatch({ members, contracts, authorization: round.authorization, chainId, nonce, rate, hotIndex }),
  })
}

const alertDear = async (round: EvmRound, fee: bigint): Promise<false> => {
  const { runtime, network, sending } = round
  const text = `Nothing is swept on ${network}: one address would cost up to ${fee} wei, above the cap of ${sending.maxBatchFee}`
  await raiseAlert(runtime.db, { kind: 'sweep-dear', subject: subjectOf(round), text }, momentOf(runtime))
  return false
}
