import type { Catalogue } from '../../market/assets/index.ts'
import type { DocumentMaker } from '../../merchants/documents/index.ts'
import type { ScopeDeps } from '../frame/index.ts'

export interface BalancePagesDeps extends ScopeDeps {
  catalogue: Catalogue
  documents: DocumentMaker
}

/** Paths behind that of the merchant. */
export const BALANCES = 'balances'
export const STATEMENT = `${BALANCES}/{ticker}`
export const STATEMENT_FILE = `${STATEMENT}/export`
export const MONTH_FILE = `${STATEMENT}/month`

/** Rows of a page of a statement. */
export const ROWS = 50
/** The asset of a statement; undefined if the installation does not serve it. */
export const assetIn = (
  catalogue: Catalogue,
  ticker: string | undefined,
): { ticker: string; scale: number } | undefined => (ticker === undefined ? undefined : catalogue.find(ticker))
