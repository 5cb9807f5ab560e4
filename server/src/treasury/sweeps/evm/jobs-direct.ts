import { COIN, encodeTransfer } from '@bursar/chainkit/evm'
import { inTransaction } from '../../../platform/db/index.ts'
import {
  currentState,
  insertPlanned,
  planEvm,
  planOf,
  sendingAmong,
  type EvmPlan,
} from '../../../chain/transactions/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { rescale } from '../../../platform/money/index.ts'
import { assetOn, type EvmAccount, type EvmHolding } from './account.ts'
import type { EvmChoice } from './choice.ts'
import { Taken, type EvmRound } from './sweeping.ts'
import type { GasRate } from './gas-price.ts'
import { noteRefused, transferGas } from './jobs-batches.ts'
import { rowOf } from './jobs-carried.ts'
import { ignoreTaken } from './jobs-hot-coin.ts'
import { hexOf } from './jobs-reading.ts'
import { insertSweeps } from '../store.ts'

/** Plans a transfer by the address itself, paid with its own coin: one transaction, for its first asset. */
export const planDirect = async (
  round: EvmRound,
  { account, holdings }: EvmChoice,
  rate: GasRate,
): Promise<boolean> => {
  const [holding] = holdings
  if (!holding || (await sendingAmong(round.runtime.db, round.network, [account.holder.address])).size > 0) return false
  const plan = await planOwn(round, account, holding, rate)
  if (plan === 'refused') {
    await noteRefused(round, account, [holding])
    return false
  }
  if (plan === 'short') return false
  await round.pause('sweep-chosen')
  return storeOwn(round, account, { ...holding, units: plan.units }, plan, rate)
}

/** Plans a transfer of all coin above its own fee, or of the whole final balance of a token. */
export const planOwn = async (
  round: EvmRound,
  account: EvmAccount,
  holding: EvmHolding,
  rate: GasRate,
): Promise<(EvmPlan & { units: bigint }) | 'refused' | 'short'> => {
  const { network, chainId, hotAddress, sending } = round
  const { nonce, coin } = account
  const gas = await transferGas(round, await currentState(round), account, holding)
  if (gas === undefined) return 'refused'
  if (holding.on === COIN) {
    // Without a margin: a payment to an address without code takes exactly the estimated gas, so that none of its price
    // is refunded.
    const fee = gas * rate.maxFeePerGas
    const value = holding.amount - fee
    if (value <= 0n || fee > sending.maxFee) return 'short'
    const fields = { chainId, nonce: BigInt(nonce), gas, to: hexOf(hotAddress), value, data: '0x' as const }
    const { maxFeePerGas, maxPriorityFeePerGas } = rate
    const plan = planOf(
      rate.legacy
        ? { ...fields, type: 'legacy', gasPrice: maxFeePerGas }
        : { ...fields, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas },
    )
    const { decimals, scale } = assetOn(round.catalogue, network, holding.asset)
    return { ...plan, units: rescale(value, decimals, scale) }
  }
  const plan = planEvm({
    network,
    chainId,
    nonce,
    call: { to: holding.on, value: 0n, data: encodeTransfer(hotAddress, holding.amount) },
    gas,
    rate,
  })
  return plan.networkFee <= coin && plan.networkFee <= sending.maxBatchFee ? { ...plan, units: holding.units } : 'short'
}

const storeOwn = async (
  round: EvmRound,
  account: EvmAccount,
  holding: EvmHolding,
  plan: EvmPlan,
  rate: GasRate,
): Promise<boolean> => {
  const { runtime } = round
  try {
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const id = moment.newId()
      await insertPlanned(tx, { ...ownRow(round, account, id), ...plan, feeRate: rate }, moment)
      const row = {
        ...rowOf(round, account, holding),
        id: moment.newId(),
        way: 'direct',
        state: 'carried' as const,
        fundingId: null,
        outgoingId: id,
      }
      if (!(await insertSweeps(tx, [row], moment))) throw new Taken()
    })
  } catch (error) {
    if (isNonceTaken(error)) return false
    ignoreTaken(error)
    return false
  }
  await round.pause('sweep-planned')
  return true
}

/** A transaction that a deposit address sends. */
export const ownRow = (
  { network }: EvmRound,
  { holder: { address, derivationIndex }, nonce }: EvmAccount,
  id: string,
) => ({
  id,
  network,
  purpose: 'sweep' as const,
  senders: [address],
  nonce,
  keys: [`${address}:${nonce}`],
  signingKeys: [{ account: 'deposit' as const, branch: 0 as const, index: derivationIndex }],
})

/** Whether another process has stored a transaction of the address with the same nonce. */
export const isNonceTaken = (error: unknown): boolean =>
  (error as { constraint?: string }).constraint === 'outgoing_nonce'
