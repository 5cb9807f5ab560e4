import { dearerBy, groupSweeps, PAYMENT_GAS, sweepMany, type Hex, type SweepContracts } from '@bursar/chainkit/evm'
import { planOf, planOfDraft, type Attempt, type EvmPlan } from '../../../chain/transactions/index.ts'
import { delegatesTo, type EvmAccount, type EvmHolding } from './account.ts'
import type { GasRate } from './gas-price.ts'

/** An address of a batch, with the gas of a separate transfer of each of its assets. */
export interface BatchMember {
  account: EvmAccount
  /** @see estimates by holding, in units of gas */
  holdings: (EvmHolding & { gas: bigint })[]
}

export interface BatchPlan extends EvmPlan {
  signingKeys: Attempt['keys']
}

/** EIP-7825: no transaction may have more gas than 2^24. */
export const MOST_GAS = 16_000_000n
/** Gas of a transaction, and the call frame of the batch. */
const BASE_GAS = 60_000n
/** Least charge assumed for an authorisation before refunds: 25,000 (EIP-7702), and its bytes. */
const AUTHORIZATION_GAS = 27_000n
/** Nodes' estimates are as much as 1.5 % off (geth `estimateGasErrorRatio`), and this one is a difference of two. */
const ESTIMATE_MARGIN = 16n
/** Gas of the call of an address, whose code is read for the first time. */
const MEMBER_GAS = 15_000n
/** Gas of the balance query and the call's own frame, 1/64 of which the call can't use. */
const HOLDING_GAS = 15_000n

export interface BatchRules {
  delegate: Hex
  /** units of gas that an authorisation adds, as the node estimates it; undefined where it does not */
  authorization?: bigint | undefined
}

/**
 * Returns the gas of an authorisation. An upgrade may raise the chain's charge (EIP-8037); it is never assumed to be
 * below the known one.
 */
const leaveGas = (estimate = 0n): bigint =>
  estimate > AUTHORIZATION_GAS ? estimate + estimate / ESTIMATE_MARGIN : AUTHORIZATION_GAS

/**
 * Returns an upper bound of a batch's gas. An estimate would not do: a batch continues when a part of it fails, so that
 * an estimate may cover the transaction but not its parts. The bound uses the gas of each transfer alone, including
 * that of a separate transaction.
 */
export const batchGas = (members: readonly BatchMember[], { delegate, authorization }: BatchRules): bigint =>
  members.reduce((sum, { account, holdings }) => {
    const leave = delegatesTo(account, delegate) ? 0n : leaveGas(authorization)
    return holdings.reduce((all, { gas }) => all + gas + HOLDING_GAS, sum + leave + MEMBER_GAS)
  }, BASE_GAS)

/**
 * Plans one transaction of the hot wallet that empties all members; members that have not delegated first authorise it.
 */
export const planBatch = (request: {
  members: readonly BatchMember[]
  contracts: SweepContracts
  authorization?: bigint | undefined
  chainId: bigint
  nonce: number
  rate: GasRate
  hotIndex: number
}): BatchPlan => {
  const { members, contracts, authorization, chainId, rate, hotIndex } = request
  const { delegate, batch } = contracts
  const leaving = members.filter(({ account }) => !delegatesTo(account, delegate.address))
  const staying = members.filter(({ account }) => delegatesTo(account, delegate.address))
  const groups = groupSweeps(
    members.map(({ account, holdings }) => ({
      account: account.holder.address as Hex,
      assets: holdings.map(({ on }) => on),
    })),
  )
  const call = {
    chainId,
    nonce: BigInt(request.nonce),
    gas: batchGas(members, { delegate: delegate.address, authorization }),
    to: batch.address,
    value: 0n,
    data: sweepMany.encode(groups),
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = rate
  const plan =
    leaving.length > 0
      ? planOfDraft({
          ...call,
          type: 'eip7702',
          maxFeePerGas,
          maxPriorityFeePerGas,
          authorizations: leaving.map(({ account }) => ({
            chainId,
            delegate: delegate.address,
            nonce: BigInt(account.nonce),
          })),
        })
      : planOf(
          rate.legacy
            ? { ...call, type: 'legacy', gasPrice: maxFeePerGas }
            : { ...call, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas },
        )
  const keys = [...leaving, ...staying].map(({ account }) => ({
    account: 'deposit' as const,
    branch: 0 as const,
    index: account.holder.derivationIndex,
  }))
  return { ...plan, signingKeys: [{ account: 'hot', branch: 0, index: hotIndex }, ...keys] }
}

/** Gas to recover a signature and store its nonce, and for its bytes. */
const SIGNED_GAS = 60_000n

/**
 * Returns the gas of a signed transfer in the relay, in addition to the transfer. Its nonce is new state, as a new
 * account is.
 * @param newAccount gas of a payment to a new account now
 */
export const signedGas = (newAccount: bigint | undefined): bigint => SIGNED_GAS + dearerBy(PAYMENT_GAS, newAccount)

/** Returns as many members, from the first on, as fit into one transaction. @param most wei it may cost */
export const fitBatch = (
  members: readonly BatchMember[],
  { rate, most, ...rules }: BatchRules & { rate: GasRate; most: bigint },
): BatchMember[] => {
  let count = members.length
  const fits = (gas: bigint): boolean => gas <= MOST_GAS && gas * rate.maxFeePerGas <= most
  while (count > 0 && !fits(batchGas(members.slice(0, count), rules))) count -= 1
  return members.slice(0, count)
}
