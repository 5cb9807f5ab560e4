import type { Network } from '@bursar/chainkit'
import { rescan } from '../../chain/watcher/index.ts'
import { command, type Command } from './command.ts'
import { wholeNumberOf } from './typed-amount.ts'
import { reconcileCommand } from './reconcile.ts'
import { rewindCommands, withNetwork } from './rewind.ts'

export const booksCommands: readonly Command[] = [
  reconcileCommand,
  command({
    name: 'rescan',
    summary: 'read blocks again; you may run it at any time; a node of another chain is refused',
    args: ['NETWORK', 'FROM', 'TO'],
    more: 'FROM and TO are heights of blocks, both included.',
    run: async ({ args: { NETWORK: name, FROM: from, TO: to } }, env, out) => {
      const first = wholeNumberOf(from, 'FROM')
      const last = wholeNumberOf(to, 'TO', { least: first })
      await withNetwork(env, name as Network, async (deps) => {
        const count = await rescan(deps, first, last)
        out.say(`read ${count} block(s) again`)
      })
    },
  }),
  ...rewindCommands,
]
