/**
 * The values of the statement of one balance in one month. Amounts are signed decimals in units of `ticker`. Times are
 * ms since the epoch.
 */
export interface MonthStatement {
  /** name of the merchant */
  company: string
  ticker: string
  /** in UTC, as `2026-10` */
  month: string
  /** the end of the month, ms */
  endsAt: number
  opening: string
  closing: string
  /** sums by the name of their cause, in the language of the document */
  credits: readonly StatementSum[]
  debits: readonly StatementSum[]
  /** the changes of the balance, oldest first; null: too many for a document */
  changes: readonly StatementChange[] | null
}

export interface StatementSum {
  /** name of the cause; null: all causes together */
  cause: string | null
  /** how many changes of the balance; null: not counted */
  count: number | null
  amount: string
}

export interface StatementChange {
  at: number
  cause: string
  amount: string
  balanceAfter: string
}
