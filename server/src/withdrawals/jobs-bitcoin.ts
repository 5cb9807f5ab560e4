import { isRefused } from '@bursar/chainkit'
import { parseAddress } from '@bursar/chainkit/bitcoin'
import { sql } from 'kysely'
import { inTransaction, type Db } from '../db/index.ts'
import { rescale } from '../money/index.ts'
import {
  bitcoinKey, insertPlanned, planBitcoinPayout, reserveCoins, spendableCoins, type BitcoinPlan,
} from '../outgoing/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { momentOf } from '../platform/runtime.ts'
import { attach } from './commands.ts'
import type { PayoutDeps } from './payouts.ts'
import { nextWaiting } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

const MOST_COINS = 1000

/** Plans one transaction that pays as many waiting withdrawals as the coins allow, oldest first. True when it made one. */
export const planBitcoinBatch = async (deps: PayoutDeps): Promise<boolean> => {
  const { runtime, policy, adapter } = deps
  const waiting = await nextWaiting(runtime.db, 'BITCOIN', 'onChain', momentOf(runtime).at, policy.mostPayments)
  const ready = await deps.approved(waiting)
  if (ready.length === 0) return false
  const rate = await adapter.feeRate()
  if (rate.kind !== 'vbyte') throw new Error('a Bitcoin node estimates fees for each virtual byte')
  const changeIndex = await takeChangeIndex(runtime.db)
  const planned = await fit(deps, ready, changeIndex, rate.milliSatPerVb)
  if (!planned) {
    const text = 'The Bitcoin wallet does not hold enough confirmed coins for the withdrawals that wait: send coins to it'
    await raiseAlert(runtime.db, { kind: 'hot-wallet-short', subject: 'BITCOIN/BTC', text }, momentOf(runtime))
    return false
  }
  await resolveAlert(runtime.db, 'hot-wallet-short', 'BITCOIN/BTC', momentOf(runtime).at)
  await deps.pause('batch-chosen')
  return store(deps, planned.plan, planned.paid, changeIndex, rate)
}

/** Leaves out what the coins can't pay, so that one large withdrawal doesn't hold up the small ones behind it. */
const fit = async (
  deps: PayoutDeps,
  ready: readonly Withdrawal[],
  changeIndex: number,
  feeRateMilliSatPerVb: bigint,
): Promise<{ plan: BitcoinPlan; paid: Withdrawal[] } | undefined> => {
  const coins = await spendableCoins(deps.runtime.db, 'BITCOIN', MOST_COINS)
  let left = coins.reduce((sum, coin) => sum + coin.units, 0n)
  let paid = ready.filter((withdrawal) => {
    const units = satoshiOf(deps, withdrawal)
    if (units > left) return false
    left -= units
    return true
  })
  while (paid.length > 0) {
    const payments = paid.map((withdrawal) => ({ script: scriptOf(deps, withdrawal), units: satoshiOf(deps, withdrawal) }))
    const plan = planBitcoinPayout({
      wallet: deps.wallet, coins, payments, changeIndex, feeRateMilliSatPerVb, policy: deps.policy,
    })
    if (!isRefused(plan)) return { plan, paid }
    if (plan.refused !== 'not-enough' && plan.refused !== 'too-large') throw new Error(`no payout can be built: ${plan.message}`)
    paid = paid.slice(0, -1)
  }
  return undefined
}

const satoshiOf = ({ catalogue }: PayoutDeps, { ticker, units }: Withdrawal): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return rescale(units, asset.scale, asset.networks.get('BITCOIN')!.decimals)
}

const scriptOf = ({ wallet }: PayoutDeps, { id, to }: Withdrawal): Uint8Array => {
  const parsed = parseAddress(to, wallet.bitcoinChain)
  if (isRefused(parsed)) throw new Error(`withdrawal ${id} has a destination that does not parse`)
  return parsed.script
}

const takeChangeIndex = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ index: number }>`insert into derivation_counters(family, account, branch, next_index)
    values ('BITCOIN', 'hot', 1, 1) on conflict (family, account, branch)
    do update set next_index = derivation_counters.next_index + 1 returning next_index - 1 as index`.execute(db)
  return rows[0]!.index
}

const store = async (
  deps: PayoutDeps,
  plan: BitcoinPlan,
  paid: readonly Withdrawal[],
  changeIndex: number,
  feeRate: unknown,
): Promise<boolean> => {
  const { runtime } = deps
  const id = runtime.newId()
  const change = bitcoinKey(deps.wallet, { account: 'hot', branch: 1, index: changeIndex })
  const moment = momentOf(runtime)
  class Taken extends Error {}
  try {
    await inTransaction(runtime.db, async (tx) => {
      await sql`insert into house_addresses(family, address, account, branch, derivation_index, created_at)
        values ('BITCOIN', ${change.address}, 'hot', 1, ${changeIndex}, ${moment.at}) on conflict do nothing`.execute(tx)
      await insertPlanned(
        tx,
        {
          id,
          network: 'BITCOIN',
          purpose: 'payout',
          senders: plan.senders,
          nonce: null,
          keys: plan.keys,
          unsigned: Buffer.from(plan.payout.psbt).toString('hex'),
          signingKeys: plan.signingKeys,
          feeRate,
          networkFee: plan.payout.fee,
        },
        moment,
      )
      const reserved = await reserveCoins(tx, 'BITCOIN', plan.coins, id)
      if (!reserved || !(await attach(tx, paid, id, moment))) throw new Taken()
    })
    return true
  } catch (error) {
    // Another process was faster with a coin or a withdrawal: nothing is stored, and the next run looks afresh.
    if (error instanceof Taken) return true
    throw error
  }
}
