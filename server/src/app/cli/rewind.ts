import type { Network } from '@bursar/chainkit'
import { createAdapters, identityOf } from '../../adapters/chains/index.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { createChainSubscribers } from '../composition/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  newestInCommon,
  planRewind,
  rewind,
  WrongChain,
  type Rewind,
  type RewindDeps,
} from '../../chain/watcher/index.ts'
import { command, UsageError, type Command } from './command.ts'
import { required, tokensOf, type Environment, withInstallation, type Opened } from '../installation/open.ts'
import { worldOf } from '../installation/world.ts'
import { wholeNumberOf } from './typed-amount.ts'

/** Runs work with a network's watcher components, after the node has proven that it is of the configured chain. */
export const withNetwork = (
  env: Environment,
  name: Network,
  work: (deps: RewindDeps & { adapter: ChainAdapter }, opened: Opened) => Promise<void>,
): Promise<void> =>
  withInstallation(env, async (opened) => {
    const world = worldOf(opened)
    const networks = required(opened.config.networks, 'BURSAR_NETWORKS_FILE')
    const adapter = createAdapters(networks, tokensOf(world.catalogue)).get(name)
    if (!adapter) throw new UsageError(`${name} is not configured`)
    const [identity, expected] = [await adapter.identity(), identityOf(networks, name)]
    if (identity !== expected)
      throw new WrongChain(`the node of ${name} is of chain ${identity}, not ${expected}: connect the right one`)
    await work(
      { runtime: opened.runtime, network: name, adapter, subscribers: createChainSubscribers(world).subscribers },
      opened,
    )
  })

const heightOf = (typed: string): number => wholeNumberOf(typed, 'HEIGHT')

const describe = (network: Network, { cursor, to, deposits, outgoing }: Rewind, { config }: Opened): string[] => {
  const scaleOf = (ticker: string): number =>
    required(config.assets, 'BURSAR_ASSETS_FILE').findCrypto(ticker)?.scale ?? 0
  return [
    `${network} has been read to ${cursor.height}, and is final to ${cursor.finalHeight}. Going back to ${to.height} (${to.hash}):`,
    ...deposits.map(
      ({ asset, count, booked }) =>
        `- reverses ${count} deposit(s) of ${asset}, of which ${formatUnits(booked, scaleOf(asset))} ${asset} are posted; an amount that a balance lacks becomes a debt`,
    ),
    ...(deposits.length === 0 ? ['- takes back no deposit'] : []),
    `- makes ${outgoing} transaction(s) of ours wait until they are mined again`,
    ...(to.height < cursor.finalHeight
      ? [`- stops all payments on ${network} until you lift the stop, because final blocks are dropped`]
      : []),
    'The blocks of the node are read again from there. Deposits in them are credited again; merchants are not notified a second time.',
  ]
}

export const rewindCommands: readonly Command[] = [
  command({
    name: 'rewind plan',
    summary: 'show the effects of rewinding a network to a block',
    args: ['NETWORK', '[HEIGHT]'],
    more:
      'For a watcher that stopped because its node has no block in common with the blocks that were read. Without HEIGHT, the plan goes back to the newest block that the node ' +
      'and the books have in common. This command changes nothing. See docs/operating/chain-trouble.md.',
    run: async ({ args: { NETWORK: name, HEIGHT: typed } }, env, out) => {
      const named = typed === undefined ? undefined : heightOf(typed)
      await withNetwork(env, name as Network, async (deps, opened) => {
        const height = named ?? (await newestInCommon(opened.runtime.db, deps.adapter, deps.network))?.height
        if (height === undefined) {
          out.say(
            `The node of ${name} has none of the newest blocks of the books. Check that the node is of the right chain and in sync; otherwise give a HEIGHT`,
          )
          return
        }
        const plan = await planRewind(deps, height)
        const command = `bursar rewind ${name} ${height} ${plan.to.hash}`
        out.show({ network: name, height, hash: plan.to.hash, command }, [])
        for (const line of describe(deps.network, plan, opened)) out.say(line)
        out.show({}, [`To do it: ${command}`])
      })
    },
  }),
  command({
    name: 'rewind',
    summary: 'rewind a network to a block of its node, and read it again from there',
    args: ['NETWORK', 'HEIGHT', 'HASH'],
    irreversible: 'Deposits of later blocks leave the balances of merchants until they are read again.',
    more: 'Take HEIGHT and HASH from `bursar rewind plan`. If the watcher of the network has exited, restart it afterwards.',
    run: async ({ args: { NETWORK: name, HEIGHT: typed, HASH: hash } }, env, out) => {
      const height = heightOf(typed)
      await withNetwork(env, name as Network, async (deps, opened) => {
        const plan = await planRewind(deps, height)
        if (plan.to.hash !== hash)
          throw new UsageError(
            `block ${typed} of the node is ${plan.to.hash} and not ${hash}: run \`bursar rewind plan ${name}\` again`,
          )
        for (const line of describe(deps.network, plan, opened)) out.say(line)
        await rewind(deps, plan.to)
        out.say(`${name} is at block ${typed} now; its watcher continues from there`)
      })
    },
  }),
]
