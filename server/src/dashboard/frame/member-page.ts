import type { PageAnswer, PageRequest, PageRoute } from '../../platform/api/page.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import {
  can,
  isOpen,
  mayRole,
  membershipOf,
  NotAllowed,
  ProofNeeded,
  type Action,
  type Devices,
  type Session,
} from '../../people/access/index.ts'
import {
  askToSignIn,
  readFields,
  toSignIn,
  visitOf,
  type DashboardDeps,
  type Fields,
  type Visit,
} from '../../people/pages/index.ts'
import { lostPage, refusedPage } from './layout.ts'
import { LIVE, LIVE_HEADER } from './live.ts'
import type { Scope } from './scope.ts'
import { versionsOf } from './versions.ts'
import { WORDS } from './words/index.ts'

export interface ScopeDeps {
  db: Db
  runtime: Runtime
  devices: Devices
}

const pathOf = (path: string): string => `/app/merchants/{merchant}/${path}`

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
  path: pathOf(path),
  mostBytes: 0,
  handle: async (request) => {
    const visit = await visitOf(deps, request)
    return visit.session ? inScope(deps, { ...visit, session: visit.session }, request, action, show) : toSignIn(visit)
  },
})

/**
 * The route of a page that shows changes of the merchant while it is open: its parts in `liveRegion`. Its script
 * requests the same page again.
 */
export const livePage = (
  deps: ScopeDeps,
  path: string,
  action: Action,
  show: (scope: Scope) => Promise<PageAnswer>,
): PageRoute => ({
  ...memberPage(deps, path, action, show),
  handle: async (request) => {
    const visit = await visitOf(deps, request, request.headers[LIVE_HEADER] === undefined)
    if (!visit.session) return toSignIn(visit)
    return inScope(deps, { ...visit, session: visit.session }, request, action, async (scope) => {
      // Read first: a change while the page is read makes the version an old one.
      const version = (await versionsOf(deps.db, [scope.merchantId])).get(scope.merchantId)
      return show({ ...scope, version })
    })
  },
})

/**
 * The route of the stream of a merchant's changes. A person without a session, or without the permission, gets the
 * answer of a page, which ends the stream of a browser. A stream is no use of the session.
 */
export const liveStream = (
  deps: ScopeDeps,
  action: Action,
  follow: (scope: Scope, session: Session) => PageAnswer,
): PageRoute => ({
  method: 'GET',
  path: pathOf(LIVE),
  mostBytes: 0,
  handle: async (request) => {
    const visit = await visitOf(deps, request, false)
    const { session } = visit
    if (!session) return toSignIn(visit)
    return inScope(deps, { ...visit, session }, request, action, async (scope) => follow(scope, session))
  },
})

/** The maximum size of a form, and of the forms of one network address. */
const MOST_FORM_BYTES = 64_000
const FORMS_PER_MINUTE = 60

/** A form of a member. `session` is that of the person: the command checks its permission and its proof. */
export interface Submitted {
  scope: Scope
  session: Session
  fields: Fields
}

/**
 * The route of a form on a page of a merchant. It has the path of the page, so that a person without a session returns
 * to it after signing in. A form of another origin is refused.
 * @param path behind `/app/merchants/{merchant}/`
 * @param action the permission that the page needs
 */
export const memberForm = (
  deps: DashboardDeps,
  path: string,
  action: Action,
  submit: (submitted: Submitted) => Promise<PageAnswer>,
  mostBytes = MOST_FORM_BYTES,
): PageRoute => ({
  method: 'POST',
  path: pathOf(path),
  mostBytes,
  perMinute: FORMS_PER_MINUTE,
  handle: async (request) => {
    const visit = await visitOf(deps, request)
    const fields = readFields(request, deps)
    const { session } = visit
    if (!session) return askToSignIn(deps, visit, fields)
    return inScope(deps, { ...visit, session }, request, action, async (scope) => {
      try {
        return await submit({ scope, session, fields })
      } catch (error) {
        if (error instanceof NotAllowed) return refusedPage(visit, scope.place)
        // The session has ended meanwhile: a form that needs a proof has answered before.
        if (error instanceof ProofNeeded) return askToSignIn(deps, visit, fields)
        throw error
      }
    })
  },
})

const inScope = async (
  { db, runtime }: ScopeDeps,
  visit: Visit & { session: Session },
  request: PageRequest,
  action: Action,
  answer: (scope: Scope) => Promise<PageAnswer>,
): Promise<PageAnswer> => {
  const { session, language } = visit
  const words = WORDS[language]
  const found = await membershipOf(db, session.person.id, request.params['merchant'] ?? '')
  if (!found) return lostPage(visit, words)
  if (!mayRole(found.role, action)) return refusedPage(visit, found)
  const { merchantId, name: merchantName, role } = found
  const isStillAllowed = async (): Promise<boolean> =>
    (await isOpen(db, session.id, new Date(runtime.clock.now()))) &&
    can(db, { personId: session.person.id, action, merchantId })
  return answer({
    visit,
    request,
    words,
    language,
    place: found,
    merchantId,
    merchantName,
    role,
    version: undefined,
    isStillAllowed,
  })
}
