import type { EvmNetwork } from '@bursar/chainkit'
import { NATIVE_TICKER } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { FeeRate } from '../adapters/chains/port.ts'
import { inTransaction, type Db } from '../db/index.ts'
import { rescale } from '../money/index.ts'
import { insertPlanned, isNonceSound, loadOf, nativeLedgerUnits, paymentCall, planEvm, takeNonce, type EvmCall } from '../outgoing/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { toColdOf } from '../treasury/index.ts'
import { attach } from './commands.ts'
import { refuseImpossible } from './impossible.ts'
import type { EvmPayoutDeps } from './payouts.ts'
import { Purse } from './purse.ts'
import { noLongerShort, tellShort } from './shortage.ts'
import { nextWaiting, unminedUnits } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

type GasRate = Extract<FeeRate, { kind: 'gas' }>

/** Plans a transaction for each waiting withdrawal that the hot wallet can pay, oldest first. True when it made any. */
export const planEvmPayouts = async (deps: EvmPayoutDeps): Promise<boolean> => {
  const { runtime, policy, network } = deps
  const slots = policy.mostInFlight - (await loadOf(runtime.db, network, deps.hotAddress)).transactions
  if (slots <= 0) return false
  const waiting = await nextWaiting(runtime.db, network, 'onChain', momentOf(runtime).at, slots)
  const ready = await deps.approved(waiting)
  if (ready.length === 0 || !(await isNonceSound(deps))) return false
  const rate = await deps.adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error(`${network} estimates fees for each unit of gas`)
  const purse = await readPurse(deps, ready)
  let made = false
  for (const withdrawal of ready) made = (await planOne(deps, withdrawal, rate, purse)) || made
  return made
}

const planOne = async (deps: EvmPayoutDeps, withdrawal: Withdrawal, rate: GasRate, purse: Purse): Promise<boolean> => {
  const { network } = deps
  if (purse.lacks(withdrawal.ticker, withdrawal.units)) return tellShort(deps, network, withdrawal.ticker)
  const call = callOf(deps, withdrawal)
  const estimate = await deps.adapter.estimateGas({ from: deps.hotAddress, ...call })
  const native = NATIVE_TICKER[network]
  if (!estimate.ok) return estimate.reason === 'reverted' ? refuseImpossible(deps, withdrawal, estimate.message) : tellShort(deps, network, native)
  const { networkFee } = planEvm({ network, chainId: deps.chainId, nonce: 0, call, gas: estimate.gas, rate })
  const fee = nativeLedgerUnits(deps.catalogue, network, networkFee)
  const lacking = purse.pay([withdrawal, { ticker: native, units: fee }])
  if (lacking !== undefined) return tellShort(deps, network, lacking)
  await noLongerShort(deps, network, withdrawal.ticker)
  await deps.pause('payout-chosen')
  return storePlanned(deps, withdrawal, { call, gas: estimate.gas, rate })
}

const callOf = ({ catalogue, network }: EvmPayoutDeps, { ticker, to, units }: Withdrawal): EvmCall => {
  const asset = catalogue.findCrypto(ticker)!
  const on = asset.networks.get(network)!
  return paymentCall({ to, units: rescale(units, asset.scale, on.decimals), contract: on.contract })
}

const storePlanned = async (
  deps: EvmPayoutDeps,
  withdrawal: Withdrawal,
  { call, gas, rate }: { call: EvmCall; gas: bigint; rate: GasRate },
): Promise<boolean> => {
  const { runtime, network, hotAddress } = deps
  class Taken extends Error {}
  try {
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const nonce = await takeNonce(tx, network, moment.at)
      const plan = planEvm({ network, chainId: deps.chainId, nonce, call, gas, rate })
      const id = runtime.newId()
      await insertPlanned(tx, { ...plannedRow(deps, id, nonce), purpose: 'payout', ...plan, feeRate: rate }, moment)
      if (!(await attach(tx, [withdrawal], id, moment))) throw new Taken()
    })
    return true
  } catch (error) {
    // Another process has it: the nonce taken here goes back with the transaction.
    if (error instanceof Taken) return false
    throw new Error(`planning a payout from ${hotAddress} failed`, { cause: error })
  }
}

const plannedRow = ({ network, hotAddress }: EvmPayoutDeps, id: string, nonce: number) => ({
  id,
  network,
  senders: [hotAddress],
  nonce,
  keys: [`${hotAddress}:${nonce}`],
  signingKeys: [{ account: 'hot' as const, branch: 0 as const, index: 0 }],
})

/** Uses up the nonce of a refused transaction by paying nothing to ourselves, since what waits behind it can't skip it. */
export const planFiller = async (deps: EvmPayoutDeps, nonce: number): Promise<void> => {
  const { runtime } = deps
  const rate = await deps.adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error(`${deps.network} estimates fees for each unit of gas`)
  const call = paymentCall({ to: deps.hotAddress, units: 0n, contract: null })
  const plan = planEvm({ network: deps.network, chainId: deps.chainId, nonce, call, gas: 21_000n, rate })
  await inTransaction(runtime.db, (tx) =>
    insertPlanned(
      tx,
      { ...plannedRow(deps, runtime.newId(), nonce), purpose: 'filler', ...plan, feeRate: rate },
      momentOf(runtime),
    ),
  )
}

/** Nonces of refused transactions that nothing uses yet: a process may die between the refusal and its filler. */
export const unfilledNonces = async (db: Db, network: EvmNetwork): Promise<number[]> => {
  const { rows } = await sql<{ nonce: number }>`select distinct nonce from outgoing a
    where network = ${network} and state = 'abandoned' and exists (select from hot_wallets h
        where h.network = a.network and h.address = a.senders[1] and a.nonce < h.next_nonce)
      and not exists (select from outgoing b where b.network = a.network and b.senders[1] = a.senders[1] and b.nonce = a.nonce and b.state <> 'abandoned')
    order by nonce`.execute(db)
  return rows.map((row) => row.nonce)
}

/** What the newest block shows less everything that is not mined yet. */
const readPurse = async (deps: EvmPayoutDeps, ready: readonly Withdrawal[]): Promise<Purse> => {
  const { runtime, network, catalogue, adapter, hotAddress } = deps
  const tickers = [...new Set([NATIVE_TICKER[network], ...ready.map((w) => w.ticker)])]
  const head = await adapter.head()
  const assets = tickers.map((ticker) => catalogue.findCrypto(ticker)!)
  const balances = await adapter.balancesAt(
    head.height,
    assets.map((asset) => ({ address: hotAddress, contract: asset.networks.get(network)!.contract })),
  )
  const toCold = await toColdOf(runtime.db, network)
  const left = new Map<string, bigint>()
  for (const [i, asset] of assets.entries()) {
    const held = rescale(balances[i]!, asset.networks.get(network)!.decimals, asset.scale)
    left.set(asset.ticker, held - (await unminedUnits(runtime.db, network, asset.ticker)).units - (toCold.get(asset.ticker) ?? 0n))
  }
  const native = NATIVE_TICKER[network]
  const { fees } = await loadOf(runtime.db, network, hotAddress)
  return new Purse(left.set(native, left.get(native)! - nativeLedgerUnits(catalogue, network, fees)))
}
