import { createAdapters } from '../../adapters/chains/index.ts'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { tronHotAddress } from '../../chain/transactions/index.ts'
import {
  orderStake,
  standingOfStake,
  type StakeDeps,
  type StakeOrder,
  type StakeStanding,
} from '../../treasury/sweeps/index.ts'
import { spendableSun } from '../../pay-out/withdrawals/index.ts'
import { command, flag, print, UsageError, type Command } from './command.ts'
import { required, tokensOf, type Environment, withInstallation, type Opened } from '../installation/open.ts'
import { printTable } from './table.ts'

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
    run: ({ args, options }, env) => order(env, amountOrder('stake', args.AMOUNT, options)),
  }),
  command({
    name: 'tron unstake',
    summary: 'unstake TRX; it can be withdrawn after 14 days',
    args: ['AMOUNT'],
    options: resource,
    run: ({ args, options }, env) => order(env, amountOrder('unstake', args.AMOUNT, options)),
  }),
  command({
    name: 'tron withdraw',
    summary: 'withdraw unstaked TRX whose 14 days are over',
    run: (_given, env) => order(env, { kind: 'withdraw' }),
  }),
  command({
    name: 'tron status',
    summary: 'show energy, bandwidth, stake, what is lent to whom, and what waits to be withdrawn',
    run: (_given, env) =>
      withTron(env, async (deps) => printStanding(await standingOfStake(deps), await deps.spendable())),
  }),
]

const amountOrder = (kind: 'stake' | 'unstake', typed: string, { bandwidth }: { bandwidth: boolean }): StakeOrder => {
  const amount = parseUnits(typed, DECIMALS)
  if (!amount.ok) throw new UsageError('AMOUNT is in TRX, with six decimals at most')
  return { kind, resource: bandwidth ? 'BANDWIDTH' : 'ENERGY', sun: amount.units }
}

const order = (env: Environment, wanted: StakeOrder): Promise<void> =>
  withTron(env, async (deps) => {
    const ordered = await orderStake(deps, wanted)
    if ('refused' in ordered) throw new Error(ordered.refused)
    print(
      `ordered as transaction ${ordered.id}: the worker has it signed and sends it; see \`bursar tron status\` in a minute or two`,
    )
  })

const withTron = (env: Environment, work: (deps: StakeDeps) => Promise<void>): Promise<void> =>
  withInstallation(env, async ({ config, runtime }) => {
    const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
    const adapters = createAdapters(required(config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(catalogue))
    try {
      const adapter = adapters.get('TRON') as TronChainAdapter | undefined
      if (!adapter) throw new Error('BURSAR_NETWORKS_FILE names no node of TRON')
      const hotAddress = tronHotAddress(required(config.xpubs, 'BURSAR_XPUBS_FILE'))
      await work({
        runtime,
        adapter,
        hotAddress,
        spendable: () => spendableSun({ runtime, catalogue, adapter, hotAddress }),
      })
    } finally {
      await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
    }
  })

/**
 * Says how much of the hot wallet's TRX is staked, lent or unfreezing, which nothing can be paid with; only the node
 * knows.
 */
export const printStaked = async ({ config, runtime }: Opened): Promise<void> => {
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
      print(
        `hot wallet TRX: ${trx(spendable)} spendable; ${trx(bound)} staked, lent or unfreezing (bursar tron status)`,
      )
  } catch (error) {
    runtime.log.warn({ err: error }, 'the node of TRON does not say what is staked')
    print('hot wallet TRX: staked amount unavailable, as the node did not answer')
  } finally {
    await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
  }
}

const printStanding = ({ stake, resources, supply, lendable, loans }: StakeStanding, spendable: bigint): void => {
  const { staked, lent, unfreezing } = stake
  printTable(
    ['TRX', ''],
    [
      ['can be spent', trx(spendable)],
      ['staked for energy', trx(staked.ENERGY)],
      ['staked for bandwidth', trx(staked.BANDWIDTH)],
      ['lent for energy', trx(lent.ENERGY)],
      ['can be lent now', trx(lendable)],
      ...unfreezing.map(({ amount, at }) => [`unstaked, from ${new Date(at).toISOString()} on`, trx(amount)]),
    ],
  )
  print(
    `energy left ${resources.energy}; bandwidth left ${resources.bandwidth} staked, ${resources.freeBandwidth} free`,
  )
  if (!supply) return print('the hot wallet is not activated yet: send it TRX')
  if (supply.stakedForEnergy > 0n)
    print(`10000 TRX staked give ${(10_000n * supply.energy) / supply.stakedForEnergy} energy a day`)
  if (loans.length === 0) return print('nothing is lent')
  printTable(
    ['lent to', 'TRX', 'since', 'loan', 'return'],
    loans.map(({ address, stake: sun, since, lending, returning }) => [
      address,
      trx(sun),
      since.toISOString(),
      lending,
      returning ?? '-',
    ]),
  )
}
