import type { PageRequest } from '../../platform/api/page.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Place, Role } from '../../people/access/index.ts'
import type { Visit } from '../../people/pages/index.ts'
import type { Words } from './words/index.ts'

/** A request of a member of a merchant. */
export interface Scope {
  visit: Visit
  request: PageRequest
  words: Words
  language: Language
  merchantId: string
  merchantName: string
  /** the merchant, with all merchants of the person */
  place: Place
  role: Role
  /** of the merchant, before the page was read; undefined on pages that show no changes while they are open */
  version: string | undefined
  /** whether the session is open now, and its person may still see the page */
  isStillAllowed(): Promise<boolean>
}
