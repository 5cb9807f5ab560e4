import { rescan } from '../../chain/watcher/index.ts'
import { command, UsageError, type Command } from './command.ts'
import { reconcileCommand } from './reconcile.ts'
import { rewindCommands, withNetwork } from './rewind.ts'

export const booksCommands: readonly Command[] = [
  reconcileCommand,
  command({
    name: 'rescan',
    summary: 'read blocks again; always safe, as a node of another chain is refused',
    args: ['NETWORK', 'FROM', 'TO'],
    more: 'FROM and TO are heights of blocks, both included.',
    run: async ({ args: { NETWORK: name, FROM: from, TO: to } }, env, out) => {
      const [first, last] = [Number(from), Number(to)]
      if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 0 || last < first)
        throw new UsageError('FROM and TO are heights')
      await withNetwork(env, name, async (deps) => {
        const count = await rescan(deps, first, last)
        out.say(`read ${count} block(s) again`)
      })
    },
  }),
  ...rewindCommands,
]
