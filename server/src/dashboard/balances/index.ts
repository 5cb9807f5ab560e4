/**
 * The pages of a merchant's balances, and the statement of each balance: a page, a CSV file, and a PDF of a month.
 * Guarantees:
 * - a statement has no gaps: each balance is that of the next older entry, changed by the amount of the entry;
 * - a page of a statement needs a bounded number of rows, however many entries there are;
 * - nothing is changed.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberPage } from '../frame/index.ts'
import { balancesPage } from './balances-page.ts'
import { BALANCES, MONTH_FILE, STATEMENT, STATEMENT_FILE, type BalancePagesDeps } from './deps.ts'
import { monthFile } from './month-file.ts'
import { statementFile, statementPage } from './statement-page.ts'

export { createStatementMaker } from './month-statement.ts'
export { createMonthlyMailsJob } from './monthly-mails.ts'
export { CENTS, currenciesOf, worthOf, type Currency } from './worth.ts'

export const balancePages = (deps: BalancePagesDeps): PageRoute[] => [
  memberPage(deps, BALANCES, 'see-balances', balancesPage(deps)),
  memberPage(deps, STATEMENT, 'see-balances', statementPage(deps)),
  memberPage(deps, STATEMENT_FILE, 'see-balances', statementFile(deps)),
  memberPage(deps, MONTH_FILE, 'see-balances', monthFile(deps)),
]
