/**
 * The page on which a member erases the e-mail address of a payer. Guarantees:
 * - the erasure is of one merchant: other merchants keep the address;
 * - it needs a permission, a recent proof and a second form that confirms it; a form erases once;
 * - the worker erases, because only it may delete mails; the address is stored until then, and not in the audit log.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import type { DashboardDeps } from '../../people/pages/index.ts'
import { ERASE, erasePage, submitErase } from './erase-page.ts'

export { createErasingJob } from './jobs-erasing.ts'

export const payerPages = (deps: DashboardDeps): PageRoute[] => [
  memberPage(deps, ERASE, 'erase-payers', erasePage(deps)),
  memberForm(deps, ERASE, 'erase-payers', submitErase(deps)),
]
