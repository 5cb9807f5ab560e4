import { parseArgs } from 'node:util'
import { migrate } from '../db/index.ts'
import { print, UsageError, type Command } from './command.ts'
import { loadConfig } from './open.ts'
import { serve } from './serve.ts'

const ROLES = ['api', 'worker', 'watcher', 'all'] as const

export const runCommands: readonly Command[] = [
  {
    name: 'serve',
    usage: 'serve --role api|worker|watcher|all',
    summary: 'run a role until it is told to stop',
    run: async (args, env) => {
      const { values } = parseArgs({ args: [...args], options: { role: { type: 'string', default: 'all' } } })
      const role = ROLES.find((one) => one === values.role)
      if (!role) throw new UsageError(`--role is one of ${ROLES.join(', ')}`)
      await serve(role, env)
    },
  },
  {
    name: 'migrate',
    usage: 'migrate',
    summary: "bring the database to this build's schema",
    run: async (_args, env) => {
      const ran = await migrate(loadConfig(env, 'cli').databaseUrl)
      print(ran.length === 0 ? 'the database is up to date' : `ran ${ran.join(', ')}`)
    },
  },
]
