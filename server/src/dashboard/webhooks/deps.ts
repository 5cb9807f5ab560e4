import type { DashboardDeps } from '../../people/pages/index.ts'

export type WebhookPagesDeps = DashboardDeps

/** The path of the list, behind that of its merchant. */
export const WEBHOOKS = 'webhooks'
export const ONE = `${WEBHOOKS}/{sequence}`

export const CHANGE_URL = `${WEBHOOKS}/url`

/** Rows of a page of the list. */
export const ROWS = 30
