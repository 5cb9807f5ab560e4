import { insertPlanned } from '../../../chain/transactions/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import type { EvmAccount, EvmHolding } from './account.ts'
import type { BatchPlan } from './batch.ts'
import type { GasRate } from './gas-price.ts'
import { ignoreTaken, takeNonceOf } from './jobs-hot-coin.ts'
import { Taken, type EvmRound } from './sweeping.ts'
import { insertSweeps, type NewSweep } from '../store.ts'

export interface CarriedSweeps {
  /** from `canPay` */
  planned: number
  rate: GasRate
  way: 'delegate' | 'authorize'
  holdings: readonly { account: EvmAccount; holding: EvmHolding }[]
  /** the transaction, with the nonce that it gets */
  planOf(nonce: number): BatchPlan
}

/**
 * Plans one transaction of the hot address that carries the sweeps of several addresses.
 * @returns false when the nonce or one of the sweeps was taken by another process: nothing is planned then
 */
export const planCarried = async (
  round: EvmRound,
  { planned, rate, way, holdings, planOf }: CarriedSweeps,
): Promise<boolean> => {
  const { runtime, network, hotAddress } = round
  try {
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const nonce = await takeNonceOf(tx, round, planned, moment.at)
      const id = moment.newId()
      const keys = [`${hotAddress}:${nonce}`]
      const senders = [hotAddress]
      await insertPlanned(
        tx,
        { id, network, purpose: 'sweep', senders, nonce, keys, feeRate: rate, ...planOf(nonce) },
        moment,
      )
      const rows = holdings.map(({ account, holding }): NewSweep => ({
        ...rowOf(round, account, holding),
        id: moment.newId(),
        way,
        state: 'carried',
        fundingId: null,
        outgoingId: id,
      }))
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

/** A sweep of a holding, without the columns that depend on how it is swept. */
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
