import type { DashboardDeps } from '../../people/pages/index.ts'

export type WebhookPagesDeps = DashboardDeps

/** The path of the list, behind that of its merchant. */
export const WEBHOOKS = 'webhooks'
export const ONE = `${WEBHOOKS}/{sequence}`

export const CHANGE_URL = `${WEBHOOKS}/url`

/** The paths of additional endpoints. */
export const ENDPOINTS = `${WEBHOOKS}/endpoints`
export const NEW_ENDPOINT = `${ENDPOINTS}/new`
export const ONE_ENDPOINT = `${ENDPOINTS}/{endpoint}`
export const CHANGE_ENDPOINT = `${ONE_ENDPOINT}/change`

/** Rows of a page of the list. */
export const ROWS = 30
