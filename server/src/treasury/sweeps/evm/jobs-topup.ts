import { COIN } from '@bursar/chainkit/evm'
import { inTransaction, type Tx } from '../../../platform/db/index.ts'
import type { Moment } from '../../../platform/base/moment.ts'
import { rescale } from '../../../platform/money/index.ts'
import { currentState, insertPlanned, planEvm, sendingAmong } from '../../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert } from '../../../platform/runtime/alerts.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { assetOn, type EvmAccount, type EvmHolding } from './account.ts'
import type { EvmChoice } from './choice.ts'
import { seedOf, Taken, type EvmRound } from './sweeping.ts'
import type { GasRate } from './gas-price.ts'
import { noteRefused, transferGas } from './jobs-batches.ts'
import { rowOf } from './jobs-carried.ts'
import { canPay, ignoreTaken, takeNonceOf } from './jobs-hot-coin.ts'
import { isNonceTaken, ownRow, planOwn } from './jobs-direct.ts'
import { readAccount } from './jobs-reading.ts'
import { finalHeightOf } from '../../../chain/watcher/index.ts'
import { fundedOn, insertSweeps, moveSweeps, type NewSweep } from '../store.ts'
import type { Sweep } from '../sweep.ts'

const MOST_FUNDED = 50
/** Gas of a payment to an address that exists and has no code. */
const PLAIN_GAS = 21_000n
/** The gas of a top-up may be this many times that of a plain payment: the code of an address can burn more. */
const MOST_TIMES_PLAIN = 3n

/** Plans a top-up: the coin for all transfers of an address. */
export const planTopUp = async (round: EvmRound, { account, holdings }: EvmChoice, rate: GasRate): Promise<boolean> => {
  const state = await currentState(round)
  const gas = await Promise.all(holdings.map((holding) => transferGas(round, state, account, holding)))
  const refused = holdings.filter((_, i) => gas[i] === undefined)
  if (refused.length > 0) await noteRefused(round, account, refused)
  const sendable = holdings.filter((_, i) => gas[i] !== undefined)
  const cost = gas.reduce<bigint>((sum, one) => sum + (one === undefined ? 0n : feeOf(round, one, rate)), 0n)
  if (sendable.length === 0) return false
  const worth = sendable.reduce((sum, holding) => sum + holding.worth, 0n)
  const funding = await planFunding(round, account, cost - account.coin, rate, worth)
  if (funding === 'dear') await noteRefused(round, account, sendable)
  if (funding === 'refused' || funding === 'dear') return false
  return stored(round, async (tx, moment) => {
    const fundingId = await funding?.(tx, moment)
    const rows = sendable.map((holding): NewSweep => ({
      ...rowOf(round, account, holding),
      id: moment.newId(),
      way: 'top-up',
      state: fundingId ? 'planned' : 'funded',
      fundingId: fundingId ?? null,
      outgoingId: null,
    }))
    if (!(await insertSweeps(tx, rows, moment))) throw new Taken()
  })
}

/** Returns the most that a transfer costs, as it will be planned. */
const feeOf = ({ network, chainId, hotAddress }: EvmRound, gas: bigint, rate: GasRate): bigint =>
  planEvm({ network, chainId, nonce: 0, call: { to: hotAddress, value: 0n, data: '0x' }, gas, rate }).networkFee

type Funding = (tx: Tx, moment: Moment) => Promise<string>

/**
 * Plans the payment of a top-up; undefined when the address has enough, and `dear` when the code of the address makes
 * the payment itself cost a multiple of a plain one, or more than it brings.
 * @param worth of the holdings to be swept, wei
 */
const planFunding = async (
  round: EvmRound,
  { holder }: EvmAccount,
  value: bigint,
  rate: GasRate,
  worth?: bigint,
): Promise<Funding | 'refused' | 'dear' | undefined> => {
  const { hotAddress, network, chainId, policy, runtime } = round
  if (value <= 0n) return undefined
  if (value > policy.maxTopUp) {
    const text = `${holder.address} on ${network} needs ${value} wei for its gas, above the cap of ${policy.maxTopUp}: it waits for lower fees`
    await raiseAlert(
      runtime.db,
      { kind: 'sweep-dear', subject: `${network}/${holder.address}`, text },
      momentOf(runtime),
    )
    return 'refused'
  }
  await resolveAlert(runtime.db, 'sweep-dear', `${network}/${holder.address}`, momentOf(runtime).at)
  const call = { to: holder.address, value, data: '0x' }
  const estimate = await (await currentState(round)).estimateGas({ from: hotAddress, ...call })
  if (!estimate.ok) return 'refused'
  const plain = round.newAccount === undefined || round.newAccount < PLAIN_GAS ? PLAIN_GAS : round.newAccount
  if (estimate.gas > MOST_TIMES_PLAIN * plain) return 'dear'
  const { networkFee } = planEvm({ network, chainId, nonce: 0, call, gas: estimate.gas, rate })
  if (worth !== undefined && networkFee > worth) return 'dear'
  const planned = await canPay(round, networkFee + value)
  if (planned === undefined) return 'refused'
  return async (tx, moment) => {
    const nonce = await takeNonceOf(tx, round, planned, moment.at)
    const id = moment.newId()
    const { unsigned } = planEvm({ network, chainId, nonce, call, gas: estimate.gas, rate })
    await insertPlanned(
      tx,
      {
        id,
        network,
        purpose: 'gas',
        senders: [hotAddress],
        nonce,
        keys: [`${hotAddress}:${nonce}`],
        unsigned,
        networkFee,
        feeRate: rate,
        signingKeys: [
          { account: 'hot', branch: 0, index: round.hotIndex },
          { account: 'deposit', branch: 0, index: holder.derivationIndex },
        ],
      },
      moment,
    )
    return id
  }
}

/** Plans transfers of addresses that have their gas, one transaction at a time. True when it planned one. */
export const sendFunded = async (round: EvmRound, rate: GasRate): Promise<boolean> => {
  const { runtime, network } = round
  const funded = await fundedOn(runtime.db, network, MOST_FUNDED, seedOf(round))
  const sending = await sendingAmong(
    runtime.db,
    network,
    funded.map(({ address }) => address),
  )
  const first = new Map<string, Sweep>()
  for (const sweep of funded)
    if (!sending.has(sweep.address) && !first.has(sweep.address)) first.set(sweep.address, sweep)
  let sent = false
  for (const sweep of first.values()) sent = (await sendOne(round, sweep, rate)) || sent
  return sent
}

const sendOne = async (round: EvmRound, sweep: Sweep, rate: GasRate): Promise<boolean> => {
  const { network } = round
  const { id, address, merchantId, derivationIndex } = sweep
  const account = await readAccount(await currentState(round), {
    address,
    merchantId,
    derivationIndex,
    sweptBefore: 0,
    holdings: [],
  })
  const holding = await heldNow(round, sweep)
  const plan = holding ? await planOwn(round, account, holding, rate) : 'refused'
  if (plan === 'refused')
    return stored(round, async (tx, { at }) => void (await moveSweeps(tx, { ids: [id] }, 'dropped', at)))
  if (plan === 'short') return fundAgain(round, account, sweep, holding!, rate)
  await round.pause('sweep-chosen')
  return stored(round, async (tx, moment) => {
    const outgoingId = moment.newId()
    await insertPlanned(
      tx,
      {
        ...ownRow(round, account, outgoingId),
        network,
        unsigned: plan.unsigned,
        networkFee: plan.networkFee,
        feeRate: rate,
      },
      moment,
    )
    if ((await moveSweeps(tx, { ids: [id] }, 'attached', moment.at, { outgoingId })).length === 0) throw new Taken()
  })
}

/** Returns the whole final balance, which may be more than when it was chosen. */
const heldNow = async (
  { adapter, catalogue, network, runtime }: EvmRound,
  sweep: Sweep,
): Promise<EvmHolding | undefined> => {
  const { on, decimals, scale } = assetOn(catalogue, network, sweep.asset)
  const height = await finalHeightOf(runtime.db, network)
  if (height === undefined) return undefined
  const [amount] = await adapter.balancesAt(height, [
    { address: sweep.address, contract: on === COIN ? null : on.toLowerCase() },
  ])
  if (!amount) return undefined
  return {
    asset: sweep.asset,
    on,
    amount,
    units: rescale(amount, decimals, scale),
    since: new Date(0),
    failures: 0,
    worth: 0n,
  }
}

/** Sends an address more gas, because fees have risen. */
const fundAgain = async (
  round: EvmRound,
  account: EvmAccount,
  { id }: Sweep,
  holding: EvmHolding,
  rate: GasRate,
): Promise<boolean> => {
  const gas = await transferGas(round, await currentState(round), account, holding)
  if (gas === undefined) return false
  const funding = await planFunding(round, account, feeOf(round, gas, rate) - account.coin, rate)
  if (funding === undefined || funding === 'refused' || funding === 'dear') return false
  return stored(round, async (tx, moment) => {
    const fundingId = await funding(tx, moment)
    if ((await moveSweeps(tx, { ids: [id] }, 'needs-more', moment.at, { fundingId })).length === 0) throw new Taken()
  })
}

const stored = async (round: EvmRound, store: (tx: Tx, moment: Moment) => Promise<void>): Promise<boolean> => {
  try {
    await inTransaction(round.runtime.db, (tx) => store(tx, momentOf(round.runtime)))
  } catch (error) {
    if (!isNonceTaken(error)) ignoreTaken(error)
    return false
  }
  await round.pause('sweep-planned')
  return true
}
