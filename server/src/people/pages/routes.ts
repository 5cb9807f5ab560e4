import { generalErrors } from '@bursar/contract'
import type { PageAnswer, PageRequest, PageRoute } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { PasswordsBusy } from '../access/index.ts'
import { showAudit } from './audit.ts'
import { changeKeys, showKeys } from './keys.ts'
import { acceptInvitation, showInvitation } from './join.ts'
import { showMerchants } from './merchants.ts'
import { changeSecurity, showSecurity } from './security.ts'
import { showSignIn, signIn, signOut } from './sign-in.ts'
import { changeTeam, showTeam } from './team.ts'
import type { DashboardDeps } from './visit.ts'

/** The maximum size of a form: the answer of a passkey, with each byte percent-encoded. */
const MOST_FORM_BYTES = 64_000
/** Attempts of one network address at a form that takes secrets. */
const ATTEMPTS_PER_MINUTE = 20

type Handler = (deps: DashboardDeps, request: PageRequest) => Promise<PageAnswer>

/** The pages of the dashboard, below `/app`. */
export const dashboardRoutes = (deps: DashboardDeps): PageRoute[] => {
  const handled =
    (handler: Handler): PageRoute['handle'] =>
    (request) =>
      handler(deps, request).catch((error: unknown) => {
        if (!(error instanceof PasswordsBusy)) throw error
        throw refusal(generalErrors.unavailable, 'many people sign in: try again in a minute', {
          retryAfterSeconds: 60,
        })
      })
  const get = (path: string, handler: Handler): PageRoute => ({
    method: 'GET',
    path,
    mostBytes: 0,
    handle: handled(handler),
  })
  const post = (path: string, handler: Handler): PageRoute => ({
    method: 'POST',
    path,
    mostBytes: MOST_FORM_BYTES,
    perMinute: ATTEMPTS_PER_MINUTE,
    handle: handled(handler),
  })
  return [
    get('/app', showMerchants),
    get('/app/sign-in', showSignIn),
    post('/app/sign-in', signIn),
    post('/app/sign-out', signOut),
    get('/app/join/{token}', showInvitation),
    post('/app/join/{token}', acceptInvitation),
    get('/app/security', showSecurity),
    post('/app/security', changeSecurity),
    get('/app/merchants/{merchant}/team', showTeam),
    post('/app/merchants/{merchant}/team', changeTeam),
    get('/app/merchants/{merchant}/keys', showKeys),
    post('/app/merchants/{merchant}/keys', changeKeys),
    get('/app/merchants/{merchant}/audit', showAudit),
  ]
}
