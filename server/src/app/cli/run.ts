import { command, textOr, UsageError, type Command } from './command.ts'
import { serve } from '../serving/serve.ts'

const ROLES = ['api', 'worker', 'watcher', 'all'] as const

export const runCommands: readonly Command[] = [
  command({
    name: 'serve',
    summary: 'run a role until a signal stops it',
    options: { role: textOr('all', ROLES.join('|'), 'the role to run') },
    isProcess: true,
    run: async ({ options }, env) => {
      const role = ROLES.find((one) => one === options.role)
      if (!role) throw new UsageError(`--role is one of ${ROLES.join(', ')}`)
      await serve(role, env)
    },
  }),
]
