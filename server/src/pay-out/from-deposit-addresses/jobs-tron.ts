import type { Contract } from '@bursar/chainkit/tron'
import type { CostEstimate } from '../../adapters/chains/port.ts'
import { rescale } from '../../platform/money/index.ts'
import {
  inPayableForm,
  insertPlanned,
  planTron,
  recentReference,
  tronPayment,
  type NewOutgoing,
  type TronPlan,
} from '../../chain/transactions/index.ts'
import { lockTronSweeps, type SweepPolicy } from '../../treasury/sweeps/index.ts'
import type { PayFromDeposits, TronPayoutDeps, Withdrawal } from '../withdrawals/index.ts'
import { payFrom } from './paying.ts'
import type { Need, Payer } from './store.ts'

export interface TronDirectDeps extends Omit<TronPayoutDeps, 'fromDeposits' | 'signer'> {
  sweeps: SweepPolicy
}

type Cost = Extract<CostEstimate, { ok: true }>

interface Own {
  id: string
  plan: TronPlan
  feeRate: NewOutgoing['feeRate']
}

/**
 * Pays withdrawals on TRON from deposit addresses: TRX with the bandwidth that every account has free each day, and
 * tokens if the address holds the TRX that the transfer burns. The remainder is swept as usual, for free while
 * bandwidth is left.
 */
export const createTronDirect =
  (deps: TronDirectDeps): PayFromDeposits =>
  async (waiting, why) => {
    if (!deps.sweeps.payFrom || waiting.length === 0) return new Set()
    return payFrom(deps, waiting, {
      network: 'TRON',
      needsOf: async (_ticker, all) => all.map(needOf),
      planFrom: (withdrawal, payer) => planFrom(deps, withdrawal, payer, why),
      // The lock excludes lending energy to the address, and reclaiming it, until the transaction ends.
      lock: lockTronSweeps,
      insert: async (tx, { id, plan, feeRate }, { address, derivationIndex }, moment) => {
        await insertPlanned(
          tx,
          {
            id,
            network: 'TRON',
            purpose: 'payout',
            senders: [address],
            nonce: null,
            keys: [],
            ...plan,
            feeRate,
            signingKeys: [{ account: 'deposit', branch: 0, index: derivationIndex }],
          },
          moment,
        )
        return id
      },
    })
  }

/** The burned amount, usually zero, is checked for each address. A remainder of any size is swept for free. */
const needOf = ({ id, units }: Withdrawal): Need => ({ withdrawalId: id, least: units, most: null })

/**
 * Returns a plan if the address holds enough in the chain's final state, even after its free bandwidth is used up, and
 * if it burns less than the hot wallet would; otherwise undefined. If `why` is `short`, the cost of the hot wallet is
 * not compared.
 */
const planFrom = async (
  deps: TronDirectDeps,
  withdrawal: Withdrawal,
  { address }: Payer,
  why: 'cheaper' | 'short',
): Promise<Own | undefined> => {
  const { adapter, policy, runtime, hotAddress } = deps
  const { contract: token, units } = onChain(deps, withdrawal)
  const form = await inPayableForm(adapter, tronPayment({ from: address, to: withdrawal.to, units, contract: token }))
  // A payment that runs a receiver's code is left to the hot wallet, which limits the cost of such payments.
  if (form.kind === 'TriggerSmartContract' && form.callValue > 0n) return undefined
  const payment = (from: string): Contract => ({ ...form, owner: from })
  const cost = await costFrom(deps, payment(address))
  if (!cost) return undefined
  const [spendable, { units: held }] = await Promise.all([
    adapter.stakeOf(address),
    adapter.balancesAtFinal([{ address, contract: token }]),
  ])
  const sun = (token === null ? units : 0n) + cost.most
  if (held[0]! < units || spendable.spendable < sun) return undefined
  if (why === 'cheaper') {
    const byHot = await costFrom(deps, payment(hotAddress))
    if (byHot && cost.burn.total >= byHot.burn.total) return undefined
  }
  const prices = await adapter.feeRate()
  if (prices.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  const id = runtime.newId()
  const plan = planTron({
    id,
    contract: payment(address),
    reference: await recentReference(deps),
    usage: cost.usage,
    prices,
  })
  return plan.networkFee <= policy.maxFee ? { id, plan, feeRate: { ...prices, ...cost.usage } } : undefined
}

/**
 * Returns undefined if the payment would fail from that address. The hot wallet's plan then finds out whether it is
 * impossible.
 */
const costFrom = async ({ adapter }: TronDirectDeps, contract: Contract): Promise<Cost | undefined> => {
  if (!(await adapter.isActivated(contract.owner))) return undefined
  const cost = await adapter.estimateCost(contract)
  return cost.ok ? cost : undefined
}

const onChain = (
  { catalogue }: TronDirectDeps,
  { ticker, units }: Withdrawal,
): { contract: string | null; units: bigint } => {
  const asset = catalogue.findCrypto(ticker)!
  const { contract, decimals } = asset.networks.get('TRON')!
  return { contract, units: rescale(units, asset.scale, decimals) }
}
