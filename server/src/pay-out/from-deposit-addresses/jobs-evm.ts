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

/** Gas of a coin payment with the margin that `planEvm` adds. */
const COIN_GAS = 26_250n

/**
 * Pays withdrawals of one EVM network from deposit addresses: native coin, and tokens of addresses that also hold coin
 * for the fee.
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
 * Returns the balance that an address needs for each withdrawal. If `why` is `cheaper`, the balance must also be small
 * enough that the remainder needs no sweep.
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

/**
 * Returns a plan if the address can pay according to the chain, both at the final block and at the newest one;
 * otherwise undefined.
 */
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
  // Code and nonce are read at one block: an authorisation uses a nonce without a transaction of the address.
  const state = await currentState(deps)
  // Anyone can start the sweep of an address with delegated code, which would take the coin of the payment.
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
  // A payment that runs a receiver's code is left to the hot wallet, which limits how often such payments fail.
  if (contract === null && estimate.gas > PLAIN_GAS) return undefined
  const plan = planEvm({ network, chainId, nonce, call, gas: estimate.gas, rate })
  const coin = (contract === null ? amount : 0n) + plan.networkFee * FEES_AT_HAND
  const isEnough = [atFinal, atHead].every(([held, coins]) => held! >= amount && coins! >= coin)
  return isEnough && plan.networkFee <= sending.maxFee ? { ...plan, nonce } : undefined
}
