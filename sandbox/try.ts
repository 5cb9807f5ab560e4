/**
 * Performs a step of a merchant's developer, of a payer or of both against the running sandbox, and shows it: `npm run
 * try -- COMMAND`. Exits with 0, 1 (refused, not running, or a comparison found a difference) or 2 (invalid command
 * line).
 */
import { join } from 'node:path'
import { BursarError } from '@bursar/sdk'
import { runChaos } from './chaos/index.ts'
import { runDemo } from './demo/index.ts'
import { readCommand, USAGE, UsageError } from './try/command.ts'
import type { TryCommand } from './try/command.ts'
import { tryInvoice } from './try/invoice.ts'
import { PAGE_STATES } from './try/page-states.ts'
import {
  control,
  isUnreachable,
  mailsTo,
  merchantClient,
  notRunning,
  readDescription,
  SandboxError,
} from './try/running.ts'
import type { Description } from './try/running.ts'
import { tryDeposit, tryHeld, tryWithdrawal } from './try/transfers.ts'

const root = new URL('..', import.meta.url).pathname

process.exitCode = await main(process.argv.slice(2)).catch(failed)

async function main(words: readonly string[]): Promise<number> {
  const command = readCommand(words, Object.keys(PAGE_STATES))
  if (command === undefined) {
    console.log(USAGE)
    return 0
  }
  const dir = process.env['BURSAR_DIR'] ?? join(root, '.bursar')
  const sandbox = readDescription(dir)
  if (command.name === 'chaos') return (await runChaos(sandbox, dir, command)) ? 0 : 1
  if (command.name === 'demo') {
    await runDemo(sandbox, dir, command)
    return 0
  }
  await run(command, sandbox)
  return 0
}

async function run(command: Exclude<TryCommand, { name: 'chaos' | 'demo' }>, sandbox: Description): Promise<void> {
  switch (command.name) {
    case 'invoice':
      return tryInvoice(sandbox)
    case 'deposit':
      return tryDeposit(sandbox, command)
    case 'held':
      return tryHeld(sandbox, command)
    case 'withdraw':
      return tryWithdrawal(sandbox, command)
    case 'balances':
      return console.table(await merchantClient(sandbox, 0).balances.list(['BTC', 'ETH', 'BNB', 'TRX', 'USDT', 'USDC']))
    case 'page':
      return console.log(
        await PAGE_STATES[command.state]!({
          client: merchantClient(sandbox, 0),
          mails: (to) => mailsTo(sandbox, to),
          control: (path, body) => control(sandbox, path, body),
        }),
      )
  }
}

/** Prints errors that a user can fix in one line; other errors with their stack. */
function failed(error: unknown): number {
  const shown = isUnreachable(error) ? notRunning() : error
  if (!(shown instanceof UsageError || shown instanceof SandboxError || shown instanceof BursarError)) throw shown
  console.error(shown.message)
  return shown instanceof UsageError ? 2 : 1
}
