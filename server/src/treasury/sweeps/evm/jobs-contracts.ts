import { CREATE2_DEPLOYER, type PinnedContract } from '@bursar/chainkit/evm'
import { inTransaction } from '../../../platform/db/index.ts'
import { currentState, insertPlanned, planEvm } from '../../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert } from '../../../platform/runtime/alerts.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import type { EvmRound } from './sweeping.ts'
import { subjectOf, Taken } from './sweeping.ts'
import { canPay, ignoreTaken, takeNonceOf } from './jobs-hot-coin.ts'
import type { GasRate } from './gas-price.ts'
import { isDeploying } from '../queries.ts'

/**
 * Whether contracts are on the chain with exactly the pinned code; checked each time before money depends on it. The
 * hot wallet deploys missing ones.
 */
export const areReady = async (
  round: EvmRound,
  contracts: readonly PinnedContract[],
  rate: GasRate,
): Promise<boolean> => {
  // Not a block from before a deployment that the books have as mined.
  const state = await currentState(round)
  const codes = await Promise.all(contracts.map(({ address }) => state.codeAt(address)))
  const foreign = contracts.find(({ code }, i) => codes[i] !== '0x' && codes[i] !== code.toLowerCase())
  if (foreign)
    return alertStopped(
      round,
      `At ${foreign.address} there is other code than that of our contract (${foreign.codeHash})`,
    )
  const missing = contracts.filter((_, i) => codes[i] === '0x')
  if (missing.length === 0) {
    await resolveAlert(round.runtime.db, 'sweep-contract', subjectOf(round), momentOf(round.runtime).at)
    return true
  }
  if (await isDeploying(round.runtime.db, round.network, round.hotAddress)) return false
  if ((await state.codeAt(CREATE2_DEPLOYER)) === '0x')
    return alertStopped(round, `There is no deployer at ${CREATE2_DEPLOYER}`)
  await deploy(round, missing, rate)
  return false
}

const alertStopped = async (round: EvmRound, why: string): Promise<false> => {
  const { runtime, network } = round
  const text = `Sweeps on ${network} by delegation are stopped. ${why}`
  await raiseAlert(runtime.db, { kind: 'sweep-contract', subject: subjectOf(round), text }, momentOf(runtime))
  return false
}

const deploy = async (round: EvmRound, missing: readonly PinnedContract[], rate: GasRate): Promise<void> => {
  const { runtime, adapter, network, chainId, hotAddress, sending } = round
  const calls = await Promise.all(
    missing.map(async ({ deployment }) => {
      const call = { ...deployment, value: 0n }
      const estimate = await adapter.estimateGas({ from: hotAddress, ...call })
      return estimate.ok ? { call, gas: estimate.gas } : undefined
    }),
  )
  const plans = calls.flatMap((one) => one ?? [])
  const fees = plans.map(({ call, gas }) => planEvm({ network, chainId, nonce: 0, call, gas, rate }).networkFee)
  const fits = fees.every((fee) => fee <= sending.maxBatchFee)
  if (plans.length < missing.length || !fits) {
    await alertStopped(
      round,
      plans.length < missing.length
        ? `${hotAddress} can't deploy its contracts: does it have coin?`
        : 'Deploying its contracts would cost too much now',
    )
    return
  }
  const planned = await canPay(
    round,
    fees.reduce((sum, fee) => sum + fee, 0n),
  )
  if (planned === undefined) return
  await round.pause('sweep-deployment-chosen')
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    for (const [i, { call, gas }] of plans.entries()) {
      const nonce = await takeNonceOf(tx, round, planned + i, moment.at)
      // Code that takes a nonce waits for others that do: now it is certain whether one of them deploys.
      if (i === 0 && (await isDeploying(tx, network, hotAddress))) throw new Taken()
      await insertPlanned(
        tx,
        {
          id: moment.newId(),
          network,
          purpose: 'sweep',
          senders: [hotAddress],
          nonce,
          keys: [`${hotAddress}:${nonce}`],
          signingKeys: [{ account: 'hot', branch: 0, index: round.hotIndex }],
          feeRate: rate,
          ...planEvm({ network, chainId, nonce, call, gas, rate }),
        },
        moment,
      )
    }
  }).catch(ignoreTaken)
  await round.pause('sweep-deployment-planned')
}
