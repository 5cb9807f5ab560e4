import type { RoutingTable } from '../../cards/acquiring/index.ts'
import type { Rules } from '../../pay-out/withdrawals/index.ts'
import type { DashboardDeps } from '../../people/pages/index.ts'

export interface RefundPagesDeps extends DashboardDeps {
  rules: Rules
  /** without a slash at its end */
  publicUrl: string
  /** accounts with acquirers, and what each can do */
  table: Pick<RoutingTable, 'accounts'>
}

/** Paths behind that of the merchant. */
export const REFUNDS = 'refunds'
export const EXPORT = `${REFUNDS}/export`
export const CLAIM = `${REFUNDS}/claims/{id}`
export const CARD = `${REFUNDS}/cards/{id}`
export const pathOfClaim = (id: string): string => `${REFUNDS}/claims/${id}`
export const pathOfRequest = (id: string): string => `payouts/requests/${id}`

/** Rows of a page of the list. */
export const ROWS = 30
