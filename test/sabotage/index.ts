import { ledgerSabotages } from './ledger.ts'
import { withdrawalsSabotages } from './withdrawals.ts'
import { sendingSabotages } from './sending.ts'
import { depositsSabotages } from './deposits.ts'
import { dialectsSabotages } from './dialects.ts'
import { cardsSabotages } from './cards.ts'
import { exchangeSabotages } from './exchange.ts'
import { invoicesSabotages } from './invoices.ts'
import { apiSabotages } from './api.ts'
import { approvalSabotages } from './approvals.ts'
import { signerSabotages } from './signer.ts'
import { peopleSabotages } from './people.ts'
import type { Sabotage } from './sabotage.ts'

/** Every sabotage, in the order of the page. */
export const SABOTAGES: readonly Sabotage[] = [
  ...ledgerSabotages,
  ...withdrawalsSabotages,
  ...sendingSabotages,
  ...depositsSabotages,
  ...dialectsSabotages,
  ...cardsSabotages,
  ...exchangeSabotages,
  ...invoicesSabotages,
  ...apiSabotages,
  ...peopleSabotages,
  ...signerSabotages,
  ...approvalSabotages,
]
