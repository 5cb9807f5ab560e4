import { relayTransfers, type Hex } from '@bursar/chainkit/evm'
import { currentState, planOf } from '../../../chain/transactions/index.ts'
import type { EvmAccount, EvmHolding } from './account.ts'
import type { EvmChoice } from './choice.ts'
import { MOST_GAS, signedGas } from './batch.ts'
import type { EvmRound } from './sweeping.ts'
import type { GasRate } from './gas-price.ts'
import { noteRefused, transferGas } from './jobs-batches.ts'
import { planCarried } from './jobs-carried.ts'
import { areReady } from './jobs-contracts.ts'
import { canPay } from './jobs-hot-coin.ts'
import { triesOf } from '../queries.ts'

interface Signing {
  account: EvmAccount
  holding: EvmHolding
  /** units of gas, at most */
  gas: bigint
}

/** Gas of a transaction, and the call frame of the relay. */
const BASE_GAS = 60_000n
/** Longer than any transaction is stuck: one mined after expiry would have no effect. */
const VALID_SECONDS = 7n * 24n * 60n * 60n

/**
 * Plans sweeps of tokens by transfers that their holders sign and the relay executes (EIP-3009), a batch for each
 * token.
 */
export const planRelays = async (round: EvmRound, choices: readonly EvmChoice[], rate: GasRate): Promise<boolean> => {
  if (choices.length === 0 || !(await areReady(round, [round.contracts.relay], rate))) return false
  const state = await currentState(round)
  const byToken = new Map<Hex, Signing[]>()
  for (const { account, holdings } of choices.slice(0, round.policy.batch)) {
    for (const holding of holdings) {
      const gas = await transferGas(round, state, account, holding)
      if (gas === undefined) await noteRefused(round, account, [holding])
      else
        byToken.set(holding.on, [
          ...(byToken.get(holding.on) ?? []),
          { account, holding, gas: gas + signedGas(round.newAccount) },
        ])
    }
  }
  let planned = false
  for (const [token, all] of byToken)
    planned = (await planOne(round, token, fitting(round, all, rate), rate)) || planned
  return planned
}

const gasOf = (all: readonly Signing[]): bigint => all.reduce((sum, { gas }) => sum + gas, BASE_GAS)

const fitting = ({ sending }: EvmRound, all: readonly Signing[], rate: GasRate): Signing[] => {
  let count = all.length
  while (
    count > 0 &&
    (gasOf(all.slice(0, count)) > MOST_GAS || gasOf(all.slice(0, count)) * rate.maxFeePerGas > sending.maxBatchFee)
  )
    count -= 1
  return all.slice(0, count)
}

const planOne = async (round: EvmRound, token: Hex, all: readonly Signing[], rate: GasRate): Promise<boolean> => {
  const { runtime, network, chainId, contracts } = round
  const planned = all.length > 0 ? await canPay(round, gasOf(all) * rate.maxFeePerGas) : undefined
  if (planned === undefined) return false
  const tries = await triesOf(
    runtime.db,
    network,
    all[0]!.holding.asset,
    all.map(({ account }) => account.holder.address),
  )
  const validBefore = BigInt(Math.floor(runtime.clock.now() / 1_000)) + VALID_SECONDS
  // The token accepts each nonce of a holder once; small nonces are cheaper.
  const transfers = all.map(({ account: { holder }, holding }) => ({
    from: holder.address as Hex,
    units: holding.amount,
    nonce: BigInt(tries.get(holder.address) ?? 0),
  }))
  const data = relayTransfers.encode({ token, validBefore, transfers })
  const { maxFeePerGas, maxPriorityFeePerGas } = rate
  await round.pause('sweep-chosen')
  const keys = all.map(({ account: { holder } }) => ({
    account: 'deposit' as const,
    branch: 0 as const,
    index: holder.derivationIndex,
  }))
  return planCarried(round, {
    planned,
    rate,
    way: 'authorize',
    holdings: all,
    planOf: (nonce) => {
      const call = { chainId, nonce: BigInt(nonce), gas: gasOf(all), to: contracts.relay.address, value: 0n, data }
      const plan = planOf(
        rate.legacy
          ? { ...call, type: 'legacy', gasPrice: maxFeePerGas }
          : { ...call, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas },
      )
      return { ...plan, signingKeys: [{ account: 'hot', branch: 0, index: round.hotIndex }, ...keys] }
    },
  })
}
