import { isRefused, type Refused } from '@bursar/chainkit'
import { estimateVsize, feeAt, parsePsbt } from '@bursar/chainkit/bitcoin'
import type { ChainAdapter, CoinChainAdapter } from '../adapters/chains/port.ts'
import { inTransaction } from '../db/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { momentOf } from '../platform/runtime.ts'
import { hasOwnOutput, planBitcoinBump, planConsolidationBump, type BitcoinBump } from './bitcoin-bump.ts'
import { anyChange, takeChange, type ChangeKey } from './change.ts'
import { spendableCoins } from './coins.ts'
import { recordBump } from './commands.ts'
import { keepInPool } from './jobs-keeping.ts'
import type { SendingDeps } from './sending.ts'
import { childOf } from './store.ts'
import type { Attempt, Outgoing } from './transaction.ts'

const MOST_COINS = 1000

/**
 * Replaces a stuck transaction by one that pays more, out of its change or of coins added to it. What can't be replaced is
 * paid for by a child that spends its change; while there is one, the child is what pays more.
 */
export const bumpBitcoin = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime } = deps
  if (await childOf(runtime.db, outgoing.id)) return keepInPool(deps, outgoing, attempt)
  const rate = await deps.adapter.feeRate()
  if (rate.kind !== 'vbyte') throw new Error('a Bitcoin node estimates fees for each virtual byte')
  const planned = await (outgoing.purpose === 'consolidation' ? planJoining : planPayout)(deps, attempt, rate.milliSatPerVb)
  if (planned === 'waits') return keepInPool(deps, outgoing, attempt)
  if (isRefused(planned)) {
    if (!(await deps.payForParent?.(outgoing, attempt, rate.milliSatPerVb))) {
      const text = `Transaction ${attempt.hash} on BITCOIN is stuck and can't pay more: ${planned.message}`
      await raiseAlert(runtime.db, { kind: 'stuck', subject: outgoing.id, text }, momentOf(runtime))
    }
    return keepInPool(deps, outgoing, attempt)
  }
  const { bump, change } = planned
  await inTransaction(runtime.db, (tx) =>
    recordBump(tx, outgoing, { ...bump, feeRate: rate }, momentOf(runtime), { coins: bump.added, ...(change && { change }) }),
  )
  await resolveAlert(runtime.db, 'stuck', outgoing.id, momentOf(runtime).at)
  await deps.pause('bump-planned')
}

type Planned = { bump: BitcoinBump; change?: ChangeKey }

const planPayout = async (
  { runtime, wallet, policy }: SendingDeps,
  attempt: Attempt,
  feeRateMilliSatPerVb: bigint,
): Promise<Planned | Refused<string>> => {
  const coins = await spendableCoins(runtime.db, 'BITCOIN', MOST_COINS)
  const planWith = (change: ChangeKey) => planBitcoinBump({ wallet, attempt, coins, change, feeRateMilliSatPerVb, policy })
  const bump = planWith(anyChange(wallet))
  if (isRefused(bump)) return bump
  // Change goes where it went before; a transaction that had none needs an address for it.
  if (hasOwnOutput(attempt.unsigned) || !hasOwnOutput(bump.unsigned)) return { bump }
  const change = await takeChange(runtime.db, wallet)
  const again = planWith(change)
  return isRefused(again) ? again : { bump: again, change }
}

/** A consolidation can wait for low fees, unless it pays for a transaction that can't. */
const planJoining = async (
  { adapter, policy }: SendingDeps,
  attempt: Attempt,
  feeRateMilliSatPerVb: bigint,
): Promise<Planned | Refused<string> | 'waits'> => {
  const inPool = await coinAdapter(adapter).poolCost(attempt.hash!)
  const ancestors = inPool?.ancestors ?? { vsize: 0, fee: 0n }
  if (ancestors.vsize === 0 && feeRateMilliSatPerVb > policy.patientRate) return 'waits'
  const vsize = ancestors.vsize + vsizeOf(attempt.unsigned)
  if (attempt.networkFee + ancestors.fee >= feeAt(feeRateMilliSatPerVb, vsize)) return 'waits'
  const bump = planConsolidationBump({ attempt, feeRateMilliSatPerVb, ancestors, policy })
  return isRefused(bump) ? bump : { bump }
}

const vsizeOf = (unsigned: string): number => {
  const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
  if (isRefused(psbt)) throw new Error(`a stored attempt can't be read: ${psbt.message}`)
  return estimateVsize(psbt.inputs.map(({ script }) => script), psbt.outputs.map(({ script }) => script))
}

const coinAdapter = (adapter: ChainAdapter): CoinChainAdapter => {
  if (!('poolCost' in adapter)) throw new Error(`${adapter.network} has no pool of transactions that stand on each other`)
  return adapter as CoinChainAdapter
}
