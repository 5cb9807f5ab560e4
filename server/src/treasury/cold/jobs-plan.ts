import { isEvmNetwork, isRefused, NATIVE_TICKER } from '@bursar/chainkit'
import { parseUnsigned, transactionId } from '@bursar/chainkit/tron'
import type { AccountChainAdapter, TronChainAdapter } from '../../adapters/chains/port.ts'
import { rescale } from '../../platform/money/index.ts'
import {
  currentState,
  inPayableForm,
  nonceAhead,
  paymentCall,
  planEvm,
  planTron,
  recentReference,
  tronHotAddress,
  tronPayment,
} from '../../chain/transactions/index.ts'
import { freeAt } from './free.ts'
import { planBitcoin } from './jobs-bitcoin.ts'
import type { ColdDeps, ColdPlan, Wanted } from './plan.ts'

const HOT_KEY = { account: 'hot', branch: 0, index: 0 } as const
/**
 * Factor of the maximum gas price on EVM chains, because a signature takes hours. Gas is paid at the actual price only.
 */
const PRICE_MARGIN = 2n

/**
 * Plans the unsigned transaction.
 * @returns the reason as a text when that is impossible now; undefined: nothing is to be moved, because the excess
 *   without its fee is within the slack, or the amount of an EVM coin is not more than its fee
 */
export const planTransfer = (deps: ColdDeps, wanted: Wanted): Promise<ColdPlan | string | undefined> => {
  if (deps.network === 'BITCOIN') return planBitcoin(deps, wanted)
  return isEvmNetwork(deps.network) ? onEvm(deps, wanted) : onTron(deps, wanted)
}

const onEvm = async (deps: ColdDeps, wanted: Wanted): Promise<ColdPlan | string | undefined> => {
  const plan = await planOnEvm(deps, wanted)
  if (typeof plan === 'string') return plan
  const native = NATIVE_TICKER[deps.network]
  const coin = onChainUnits(deps, native, await freeAt(deps.runtime.db, deps, native, wanted.from!.address))
  // What is left for the transfer and its fee, which the address pays with the same coin.
  const { networkFee } = plan.transaction
  const left = coin - networkFee
  const lacking = (fee: bigint): string => `${wanted.from!.address} has ${coin} wei, and its fee could be ${fee}`
  if (wanted.ticker !== native) return left >= 0n ? plan : lacking(networkFee)
  if (left <= 0n) return lacking(networkFee)
  if (plan.units <= networkFee || left <= networkFee) return undefined
  if (left >= plan.units) return plan
  // The slack is of all hot addresses together; this one may have a small part of the excess.
  if (wanted.above - networkFee <= wanted.slack) return undefined
  const reduced = await planOnEvm(deps, { ...wanted, units: left })
  // The price of gas may have risen meanwhile.
  const isCovered = typeof reduced === 'string' || reduced.transaction.networkFee <= networkFee
  return isCovered ? reduced : lacking(reduced.transaction.networkFee)
}

const planOnEvm = async (deps: ColdDeps, { ticker, units, to, from: key }: Wanted): Promise<ColdPlan | string> => {
  const { runtime, network, sending, catalogue } = deps
  if (!isEvmNetwork(network) || deps.chainId === undefined || !key)
    throw new Error(`${network} has a chain id and hot addresses`)
  const [adapter, from] = [deps.adapter as AccountChainAdapter, key.address]
  const state = await currentState({ runtime, network, adapter })
  const call = paymentCall({ to, units, contract: catalogue.findCrypto(ticker)!.networks.get(network)!.contract })
  const [rate, estimate] = await Promise.all([adapter.feeRate(), state.estimateGas({ from, ...call })])
  if (!estimate.ok) return estimate.message
  if (rate.kind !== 'gas') throw new Error(`${network} estimates fees for each unit of gas`)
  const nonce = await nonceAhead(runtime.db, network, from, await state.minedNonce(from), runtime.clock.business())
  if (nonce === undefined) return 'the nonces of the chain and of the database do not agree'
  const withMargin = rate.legacy ? rate : { ...rate, maxFeePerGas: rate.maxFeePerGas * PRICE_MARGIN }
  const plan = planEvm({ network, chainId: deps.chainId, nonce, call, gas: estimate.gas, rate: withMargin })
  if (plan.networkFee > sending.maxFee) return `its fee could be ${plan.networkFee}, above the cap of ${sending.maxFee}`
  return {
    units,
    transaction: {
      senders: [from],
      nonce,
      keys: [`${from}:${nonce}`],
      ...plan,
      signingKeys: [{ ...HOT_KEY, index: key.index }],
      feeRate: rate,
    },
    hash: null,
    coins: [],
    change: null,
    previous: new Map(),
  }
}

const onTron = async (deps: ColdDeps, wanted: Wanted): Promise<ColdPlan | string> => {
  const { wallet, sending, catalogue } = deps
  const from = tronHotAddress(wallet)
  const token = catalogue.findCrypto(wanted.ticker)!.networks.get('TRON')!.contract
  const payment = { ...wanted, from, token }
  const planned =
    token === null
      ? await planWithin(deps, payment, (await deps.spendable!()).sun - wanted.reserved)
      : await planOnTron(deps, payment)
  if (typeof planned === 'string') return planned
  const { units, ...plan } = planned
  const { networkFee, unsigned } = plan
  if (networkFee > sending.maxFee) return `its fee could be ${networkFee} sun, above the cap of ${sending.maxFee}`
  return {
    units,
    transaction: { senders: [from], nonce: null, keys: [], signingKeys: [HOT_KEY], ...plan },
    hash: tronIdOf(unsigned),
    coins: [],
    change: null,
    previous: new Map(),
  }
}

interface TronPayment extends Omit<Wanted, 'from'> {
  from: string
  token: string | null
}

/**
 * Plans a transfer of TRX that takes at most `limit` sun with its fee. Staked TRX is part of the balance, but can't be
 * sent.
 */
const planWithin = async (deps: ColdDeps, payment: TronPayment, limit: bigint): Promise<TronPlan | string> => {
  const units = payment.units < limit ? payment.units : limit
  if (units <= 0n) return tooLittle(payment.units, 0n)
  const plan = await planOnTron(deps, { ...payment, units })
  if (typeof plan === 'string' || units + plan.networkFee <= limit) return plan
  // A smaller amount has no higher fee.
  const movable = limit - plan.networkFee
  if (movable <= 0n || movable <= payment.slack) return tooLittle(payment.units, movable)
  return planOnTron(deps, { ...payment, units: movable })
}

const tooLittle = (units: bigint, movable: bigint): string =>
  `of ${units} sun, ${movable > 0n ? movable : 0n} can be moved, after the fee, the pending payments and \`low\`: ` +
  'the rest is staked, lent or being unstaked. Unstake, or raise the cap, which counts the stake'

type TronPlan = Pick<ColdPlan, 'units'> &
  Pick<ColdPlan['transaction'], 'unsigned' | 'networkFee' | 'expiresAt' | 'feeRate'>

const planOnTron = async (
  { runtime, treasury, ...deps }: ColdDeps,
  { id, units, to, from, token }: TronPayment,
): Promise<TronPlan | string> => {
  const adapter = deps.adapter as TronChainAdapter
  const contract = await inPayableForm(adapter, tronPayment({ from, to, units, contract: token }))
  const [cost, prices, reference] = await Promise.all([
    adapter.estimateCost(contract),
    adapter.feeRate(),
    recentReference({ runtime, adapter }),
  ])
  if (!cost.ok) return cost.message
  if (prices.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  const lifetimeMs = treasury.signWithinMs - TRON_MARGIN_MS
  const planned = planTron({ id, contract, reference, usage: cost.usage, prices, lifetimeMs })
  const { unsigned, networkFee, expiresAt } = planned
  return { units, unsigned, networkFee, expiresAt, feeRate: prices }
}

/** Margin for different heads: no node accepts a transaction that expires more than a day after its own head. */
const TRON_MARGIN_MS = 60_000

const tronIdOf = (unsigned: string): string => {
  const transaction = parseUnsigned(Buffer.from(unsigned, 'hex'))
  if (isRefused(transaction))
    throw new Error(`the transaction that was just built does not parse: ${transaction.message}`)
  return transactionId(transaction)
}

/** Returns the amount in chain units, rounded down. */
export const onChainUnits = (
  { catalogue, network }: Pick<ColdDeps, 'catalogue' | 'network'>,
  ticker: string,
  ledger: bigint,
): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  const { decimals } = asset.networks.get(network)!
  const step = 10n ** BigInt(asset.scale - decimals)
  return rescale(ledger - (ledger % step), asset.scale, decimals)
}
