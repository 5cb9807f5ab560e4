import type { PageAnswer, PageRoute } from '../../platform/api/page.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { can, isOpen, mayRole, membershipOf, type Action, type Devices } from '../../people/access/index.ts'
import { toSignIn, visitOf } from '../../people/pages/index.ts'
import { lostPage, refusedPage } from './layout.ts'
import type { Scope } from './scope.ts'
import { WORDS } from './words/index.ts'

export interface ScopeDeps {
  db: Db
  runtime: Runtime
  devices: Devices
}

/**
 * The route of a page that reads data of a merchant. Without a session, the person signs in first. A merchant of which
 * the person is no member is answered as one that does not exist.
 * @param path behind `/app/merchants/{merchant}/`
 * @param action the permission that the page needs
 */
export const memberPage = (
  deps: ScopeDeps,
  path: string,
  action: Action,
  show: (scope: Scope) => Promise<PageAnswer>,
): PageRoute => ({
  method: 'GET',
  path: `/app/merchants/{merchant}/${path}`,
  mostBytes: 0,
  handle: async (request) => {
    const visit = await visitOf(deps, request)
    const { session, language } = visit
    if (!session) return toSignIn(visit)
    const words = WORDS[language]
    const found = await membershipOf(deps.db, session.person.id, request.params['merchant'] ?? '')
    if (!found) return lostPage(visit, words)
    if (!mayRole(found.role, action)) return refusedPage(visit, words)
    const { merchantId, name: merchantName, role } = found
    const isStillAllowed = async (): Promise<boolean> =>
      (await isOpen(deps.db, session.id, new Date(deps.runtime.clock.now()))) &&
      can(deps.db, { personId: session.person.id, action, merchantId })
    return show({ visit, request, words, language, merchantId, merchantName, role, isStillAllowed })
  },
})
