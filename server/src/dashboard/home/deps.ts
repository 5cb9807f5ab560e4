import type { Catalogue } from '../../market/assets/index.ts'
import type { ScopeDeps } from '../frame/index.ts'

export interface HomePageDeps extends ScopeDeps {
  catalogue: Catalogue
  /** without a slash at its end */
  publicUrl: string
}

/** The path behind that of the merchant. */
export const HOME = 'home'
