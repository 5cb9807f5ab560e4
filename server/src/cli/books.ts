import { createAdapters } from '../adapters/chains/index.ts'
import { isNetwork } from '@bursar/chainkit'
import { createListeners } from '../app/index.ts'
import { rescan } from '../watcher/index.ts'
import { command, print, UsageError, type Command } from './command.ts'
import { depositCommands } from './deposits.ts'
import { withInstallation } from './merchant.ts'
import { required, tokensOf } from './open.ts'
import { reconcileCommand } from './reconcile.ts'
import { rewindCommands } from './rewind.ts'
import { worldOf } from './world.ts'

export const booksCommands: readonly Command[] = [
  reconcileCommand,
  command({
    name: 'rescan',
    summary: 'read blocks again; always safe',
    args: ['NETWORK', 'FROM', 'TO'],
    more: 'FROM and TO are heights of blocks, both included.',
    run: async ({ args: { NETWORK: name, FROM: from, TO: to } }, env) => {
      if (!isNetwork(name)) throw new UsageError('NETWORK is BITCOIN, ETHEREUM or BINANCE_SMART_CHAIN')
      const [first, last] = [Number(from), Number(to)]
      if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 0 || last < first) throw new UsageError('FROM and TO are heights')
      await withInstallation(env, async (opened) => {
        const world = worldOf(opened)
        const adapter = createAdapters(required(opened.config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(world.catalogue)).get(name)
        if (!adapter) throw new UsageError(`${name} is not configured`)
        const { listeners } = createListeners(world)
        const count = await rescan({ runtime: opened.runtime, network: name, adapter, listeners }, first, last)
        print(`read ${count} block(s) again`)
      })
    },
  }),
  ...depositCommands,
  ...rewindCommands,
]
