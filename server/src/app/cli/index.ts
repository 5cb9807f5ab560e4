import { acceptanceCommands } from './acceptance.ts'
import { adjustmentCommands } from './adjustments.ts'
import { acquirerCommands } from './acquirers.ts'
import { actionCommands } from './actions.ts'
import { alertCommands } from './alerts.ts'
import { archiveCommands } from './archive.ts'
import { auditCommands } from './audit.ts'
import { backupCommands } from './backup.ts'
import { booksCommands } from './books.ts'
import { cardPayoutCommands } from './card-payouts.ts'
import { claimCommands } from './claims.ts'
import { coldCommands } from './cold.ts'
import type { Command } from './command.ts'
import { costCommands } from './costs.ts'
import { dataKeyCommands } from './data-key.ts'
import { databaseCommands } from './database.ts'
import { dispatch, type Ask } from './dispatch.ts'
import { doctorCommand } from './doctor.ts'
import { depositCommands } from './deposits.ts'
import { firstSeedCommands } from './first-seed.ts'
import { eventCommands } from './events.ts'
import { exchangeCommands } from './exchange.ts'
import { exportCommands } from './export.ts'
import type { Topic } from './help.ts'
import { hedgingCommands } from './hedging.ts'
import { keyCommands } from './keys.ts'
import { webhookEndpointCommands } from './webhook-endpoints.ts'
import { leavingCommands } from './leaving.ts'
import { lostPaymentCommands } from './lost-payments.ts'
import { merchantCommands } from './merchant.ts'
import { logoCommands } from './logos.ts'
import { payerCommands } from './payers.ts'
import { peopleCommands } from './people.ts'
import { approvalCommands } from './approvals.ts'
import { moneyCommands } from './money.ts'
import type { Environment } from '../installation/open.ts'
import { orderCommands } from './orders.ts'
import { reserveCommands } from './reserves.ts'
import { restoredCommands } from './restored.ts'
import { runCommands } from './run.ts'
import { screeningCommands } from './screening.ts'
import { setupCommands } from './setup/index.ts'
import { signerCommands } from './signer.ts'
import { smokeCommand } from './smoke.ts'
import { treasuryCommand } from './treasury.ts'
import { tronCommands } from './tron.ts'

/** All commands by subject, as in `bursar help`. */
const topics: readonly Topic[] = [
  {
    title: 'Run and upgrade',
    commands: [...setupCommands, ...runCommands, ...databaseCommands, ...archiveCommands, ...dataKeyCommands],
  },
  {
    title: 'Backup and restore',
    commands: [...backupCommands, ...restoredCommands, ...acceptanceCommands, ...lostPaymentCommands],
  },
  { title: 'Checks, alerts and records', commands: [doctorCommand, smokeCommand, ...alertCommands, ...actionCommands] },
  {
    title: 'Merchants and their notifications',
    commands: [
      ...merchantCommands,
      ...keyCommands,
      ...webhookEndpointCommands,
      ...peopleCommands,
      ...logoCommands,
      ...payerCommands,
      ...exportCommands,
      ...leavingCommands,
      ...orderCommands,
      ...eventCommands,
    ],
  },
  {
    title: 'Deposits, payments and refunds',
    commands: [...depositCommands, ...firstSeedCommands, ...acquirerCommands, ...claimCommands],
  },
  { title: 'Withdrawals, payouts and stops', commands: [...approvalCommands, ...moneyCommands, ...cardPayoutCommands] },
  { title: 'Screening', commands: screeningCommands },
  {
    title: 'Books, blocks and proofs',
    commands: [...booksCommands, ...auditCommands, ...adjustmentCommands, ...reserveCommands],
  },
  {
    title: 'Own coins and the signer',
    commands: [treasuryCommand, ...costCommands, ...coldCommands, ...tronCommands, ...signerCommands],
  },
  { title: 'Exchange and hedging', commands: [...exchangeCommands, ...hedgingCommands] },
]
export const commands: readonly Command[] = topics.flatMap((topic) => topic.commands)

/** Runs one command line. @returns the exit code: 0 success, 1 failed or found a problem, 2 wrong usage */
export const runCommand = (args: readonly string[], env: Environment, ask?: Ask | null): Promise<number> =>
  dispatch(topics, args, env, ask)
