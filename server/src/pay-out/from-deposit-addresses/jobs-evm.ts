import { NATIVE_TICKER } from '@bursar/chainkit'
import { rescale } from '../../platform/money/index.ts'
import {
  currentState,
  insertPlanned,
  isContested,
  paymentCall,
  planEvm,
  type EvmPlan,
} from '../../chain/transactions/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { finalHeightOf } from '../../chain/watcher/index.ts'
import { expectedPrice, unitsWorth, type SweepPolicy } from '../../treasury/sweeps/index.ts'
import {
  gasRateOf,
  MOST_GAS,
  PLAIN_GAS,
  type EvmPayoutDeps,
  type GasRate,
  type PayFromDeposits,
  type Withdrawal,
} from '../withdrawals/index.ts'
import { FEES_AT_HAND, mostLeftBehind } from './fitting.ts'
import { payFrom } from './paying.ts'
import type { Need, Payer } from './store.ts'

export interface EvmDirectDeps extends Omit<EvmPayoutDeps, 'policy' | 'fromDeposits' | 'signer'> {
  sending: EvmPayoutDeps['policy']
  sweeps: SweepPolicy
}

/** With room, as a payment is planned (`planEvm`). */
const COIN_GAS = 26_250n

/**
 * Pays withdrawals of one EVM network from deposit addresses: the coin, and tokens of addresses that have coin for it.
 */
export const createEvmDirect =
  (deps: EvmDirectDeps): PayFromDeposits =>
  async (waiting, why) => {
    if (!deps.sweeps.payFrom || waiting.length === 0) return new Set()
    const { network, runtime } = deps
    const rate = await gasRateOf(deps)
    return payFrom(deps, waiting, {
      network,
      needsOf: (ticker, all) => needsOf(deps, ticker, all, rate, why),
      planFrom: (withdrawal, payer) => planFrom(deps, withdrawal, payer, rate),
      insert: async (tx, { nonce, ...plan }, { address, derivationIndex }, moment) => {
        const id = runtime.newId()
        await insertPlanned(
          tx,
          {
            id,
            network,
            purpose: 'payout',
            senders: [address],
            nonce,
            keys: [`${address}:${nonce}`],
            ...plan,
            feeRate: rate,
            signingKeys: [{ account: 'deposit', branch: 0, index: derivationIndex }],
          },
          moment,
        )
        return id
      },
    })
  }

/**
 * What an address has to hold: enough, and where only cheaper payments are wanted not so much that it is swept all the
 * same.
 */
const needsOf = async (
  deps: EvmDirectDeps,
  ticker: string,
  all: readonly Withdrawal[],
  rate: GasRate,
  why: 'cheaper' | 'short',
): Promise<Need[]> => {
  const { network, catalogue, runtime, sweeps } = deps
  const native = NATIVE_TICKER[network]
  const isCoin = ticker === native
  const prices = await freshPrices(runtime.db, [native, ticker], new Date(runtime.clock.now()))
  const inUnits = (wei: bigint): bigint => unitsWorth(catalogue, network, ticker, wei, prices) ?? 0n
  const left = mostLeftBehind({
    isCoin,
    gasPrice: expectedPrice(rate),
    batchSize: sweeps.batch,
    setCode: sweeps.setCode === 'auto',
    kPerMille: sweeps.kPerMille,
  })
  const fees = isCoin ? inUnits(COIN_GAS * rate.maxFeePerGas * FEES_AT_HAND) : 0n
  return all.map(({ id, units }) => ({
    withdrawalId: id,
    least: units + fees,
    most: why === 'short' ? null : units + inUnits(left),
  }))
}

interface Own extends EvmPlan {
  nonce: number
}

/** Undefined unless the chain agrees that the address has what it takes, in its final block and now. */
const planFrom = async (
  deps: EvmDirectDeps,
  { ticker, to, units }: Withdrawal,
  { address }: Payer,
  rate: GasRate,
): Promise<Own | undefined> => {
  const { adapter, network, chainId, catalogue, sending } = deps
  const asset = catalogue.findCrypto(ticker)!
  const { contract, decimals } = asset.networks.get(network)!
  const amount = rescale(units, asset.scale, decimals)
  const call = paymentCall({ to, units: amount, contract })
  const final = await finalHeightOf(deps.runtime.db, network)
  if (final === undefined) return undefined
  // One block for code and nonce: an authorisation uses a nonce, and leaves no transaction of the address.
  const state = await currentState(deps)
  // Anybody may start the sweep of an address that has delegated: its payment would then never get its coin.
  if ((await state.codeAt(address)) !== '0x') return undefined
  const wanted = [
    { address, contract: contract?.toLowerCase() ?? null },
    { address, contract: null },
  ]
  const [atFinal, atHead, nonce, estimate] = await Promise.all([
    adapter.balancesAt(final, wanted),
    state.balances(wanted),
    state.minedNonce(address),
    state.estimateGas({ from: address, ...call }),
  ])
  if (!estimate.ok || estimate.gas > MOST_GAS || (await isContested(deps.runtime.db, network, address, nonce)))
    return undefined
  // The hot wallet pays what runs a receiver's code, as it bounds how often that may fail.
  if (contract === null && estimate.gas > PLAIN_GAS) return undefined
  const plan = planEvm({ network, chainId, nonce, call, gas: estimate.gas, rate })
  const coin = (contract === null ? amount : 0n) + plan.networkFee * FEES_AT_HAND
  const isEnough = [atFinal, atHead].every(([held, coins]) => held! >= amount && coins! >= coin)
  return isEnough && plan.networkFee <= sending.maxFee ? { ...plan, nonce } : undefined
}
