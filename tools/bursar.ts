/**
 * The command `bursar` in a checkout. It uses the settings of the environment, or, if they name no database, those of
 * the sandbox that is running here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../server/src/app/cli/index.ts'

const root = new URL('..', import.meta.url).pathname

const sandboxSettings = (): NodeJS.ProcessEnv => {
  try {
    const file = join(process.env['BURSAR_DIR'] ?? join(root, '.bursar'), 'sandbox.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { environment: NodeJS.ProcessEnv }).environment
  } catch {
    return {}
  }
}

/** Variables of the sandbox and the tests, not of the server. */
const SANDBOX_VARIABLES = [
  'BURSAR_DIR',
  'BURSAR_PORT_*',
  'BURSAR_BLOCK_SECONDS_*',
  'BURSAR_TRON_*',
  'BURSAR_SCREENING',
  'BURSAR_HEDGING',
  'BURSAR_EMULATORS',
  'BURSAR_HOT_ADDRESSES',
  'BURSAR_TEST_PG',
]
const ignored = [process.env['BURSAR_IGNORE'] ?? '', ...SANDBOX_VARIABLES].join(',')
const env = { ...(process.env['DATABASE_URL'] ? {} : sandboxSettings()), ...process.env, BURSAR_IGNORE: ignored }
process.exitCode = await runCommand(process.argv.slice(2), env)
