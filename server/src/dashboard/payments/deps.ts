import type { Catalogue } from '../../market/assets/index.ts'
import type { ScopeDeps } from '../frame/index.ts'
import type { Explorers } from './explorers.ts'

export interface PaymentPagesDeps extends ScopeDeps {
  catalogue: Catalogue
  /** without a slash at its end */
  publicUrl: string
  explorers: Explorers
}

/** The path of a payment's page, behind that of its merchant. */
export const PAYMENTS = 'payments'
export const EXPORT = `${PAYMENTS}/export`
export const ONE = `${PAYMENTS}/{kind}/{id}`

/** Rows of a page. More would exceed 60 kB with long names. */
export const ROWS = 30
