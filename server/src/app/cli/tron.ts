import { createAdapters } from '../../adapters/chains/index.ts'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { tronHotAddress } from '../../chain/transactions/index.ts'
import {
  orderStake,
  readStakeState,
  type StakeDeps,
  type StakeOrder,
  type StakeState,
} from '../../treasury/sweeps/index.ts'
import { spendableSun } from '../../pay-out/withdrawals/index.ts'
import { command, flag, UsageError, type Command } from './command.ts'
import { required, tokensOf, type Environment, withInstallation, type Opened } from '../installation/open.ts'
import type { Fields, Output } from './output.ts'

const DECIMALS = 6
const resource = { bandwidth: flag('for bandwidth, not for energy') }
const trx = (sun: bigint): string => formatUnits(sun, DECIMALS)

export const tronCommands: readonly Command[] = [
  command({
    name: 'tron stake',
    summary: 'stake TRX of the hot wallet for energy or bandwidth; sweeps and payouts use it',
    args: ['AMOUNT'],
    options: resource,
    irreversible: 'Staked TRX can be spent again 14 days after they are unstaked.',
    run: ({ args, options }, env, out) => order(env, amountOrder('stake', args.AMOUNT, options), out),
  }),
  command({
    name: 'tron unstake',
    summary: 'unstake TRX; they can be withdrawn after 14 days',
    args: ['AMOUNT'],
    irreversible: 'The TRX give no energy or bandwidth from now on, and can be spent only after 14 days.',
    options: resource,
    run: ({ args, options }, env, out) => order(env, amountOrder('unstake', args.AMOUNT, options), out),
  }),
  command({
    name: 'tron withdraw',
    summary: 'withdraw unstaked TRX whose 14 days are over',
    run: (_given, env, out) => order(env, { kind: 'withdraw' }, out),
  }),
  command({
    name: 'tron status',
    summary: 'show energy, bandwidth, staked and lent TRX, and when unstaked TRX can be withdrawn',
    run: (_given, env, out) =>
      withTron(env, async (deps) => printStakeState(await readStakeState(deps), (await deps.spendable()).sun, out)),
  }),
]

const amountOrder = (kind: 'stake' | 'unstake', typed: string, { bandwidth }: { bandwidth: boolean }): StakeOrder => {
  const amount = parseUnits(typed, DECIMALS)
  if (!amount.ok) throw new UsageError('AMOUNT is in TRX, with six decimals at most')
  return { kind, resource: bandwidth ? 'BANDWIDTH' : 'ENERGY', sun: amount.units }
}

const order = (env: Environment, wanted: StakeOrder, out: Output): Promise<void> =>
  withTron(env, async (deps) => {
    const ordered = await orderStake(deps, wanted)
    if ('refused' in ordered) throw new Error(ordered.refused)
    out.show({ transactionId: ordered.id }, [])
    out.say(
      `ordered as transaction ${ordered.id}: the worker has it signed and sends it; see \`bursar tron status\` in a minute or two`,
    )
  })

const withTron = (env: Environment, work: (deps: StakeDeps) => Promise<void>): Promise<void> =>
  withInstallation(env, (opened) => withTronNode(opened, work))

/** Connects to a node of TRON while some work runs. */
export const withTronNode = async <T>(
  { config, runtime }: Opened,
  work: (deps: StakeDeps) => Promise<T>,
): Promise<T> => {
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  const adapters = createAdapters(required(config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(catalogue))
  try {
    const adapter = adapters.get('TRON') as TronChainAdapter | undefined
    if (!adapter) throw new Error('BURSAR_NETWORKS_FILE names no node of TRON')
    const hotAddress = tronHotAddress(required(config.xpubs, 'BURSAR_XPUBS_FILE'))
    return await work({
      runtime,
      adapter,
      hotAddress,
      spendable: () => spendableSun({ runtime, catalogue, adapter, hotAddress }),
    })
  } finally {
    await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
  }
}

/**
 * Shows how much of the hot wallet's TRX is staked, lent or unfreezing, and so can't be spent; only the node knows it.
 */
export const printStaked = async ({ config, runtime }: Opened, out: Output): Promise<void> => {
  if (config.networks === null || config.xpubs === null || config.assets === null) return
  const adapters = createAdapters(config.networks, tokensOf(config.assets))
  try {
    const adapter = adapters.get('TRON') as TronChainAdapter | undefined
    if (!adapter) return
    const { staked, lent, unfreezing, spendable } = await adapter.stakeOf(tronHotAddress(config.xpubs))
    const bound =
      staked.ENERGY +
      staked.BANDWIDTH +
      staked.TRON_POWER +
      lent.ENERGY +
      lent.BANDWIDTH +
      unfreezing.reduce((sum, { amount }) => sum + amount, 0n)
    if (bound > 0n)
      out.say(
        `hot wallet TRX: ${trx(spendable)} spendable; ${trx(bound)} staked, lent or unfreezing (bursar tron status)`,
      )
  } catch (error) {
    runtime.log.warn({ err: error }, 'the TRON node does not report the staked amount')
    out.say('hot wallet TRX: staked amount unavailable, as the node did not answer')
  } finally {
    await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
  }
}

const printStakeState = (
  { stake, resources, supply, lendable, loans }: StakeState,
  spendable: bigint,
  out: Output,
): void => {
  const { staked, lent, unfreezing } = stake
  out.show({
    canBeSpent: trx(spendable),
    stakedForEnergy: trx(staked.ENERGY),
    stakedForBandwidth: trx(staked.BANDWIDTH),
    lentForEnergy: trx(lent.ENERGY),
    canBeLentNow: trx(lendable),
  })
  out.list(
    'unstaked',
    unfreezing.map(({ amount, at }) => ({ unstaked: trx(amount), from: new Date(at) })),
    { heads: { from: 'can be withdrawn from' }, none: 'nothing is unstaked' },
  )
  out.show(
    {
      energy: resources.energy,
      bandwidth: resources.bandwidth,
      freeBandwidth: resources.freeBandwidth,
    } as unknown as Fields,
    [`energy left ${resources.energy}; bandwidth left ${resources.bandwidth} staked, ${resources.freeBandwidth} free`],
  )
  if (!supply) return out.say('the hot wallet is not activated yet: send it TRX')
  if (supply.stakedForEnergy > 0n)
    out.say(`10000 TRX staked give ${(10_000n * supply.energy) / supply.stakedForEnergy} energy a day`)
  const rows = loans.map(({ address, stake: sun, since, lending, returning }) => ({
    address,
    amount: trx(sun),
    since,
    loan: lending,
    return: returning,
  }))
  out.list('loans', rows, { heads: { address: 'lent to', amount: 'TRX' }, none: 'nothing is lent' })
}
