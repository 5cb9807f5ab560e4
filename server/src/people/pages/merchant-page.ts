import { html } from '@bursar/checkout/html'
import { generalErrors } from '@bursar/contract'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { membershipOf, NotAllowed, type Place } from '../access/index.ts'
import { pageOf } from './frame.ts'
import { askToSignIn } from './sign-in.ts'
import { readFields, visitOf, type DashboardDeps, type Fields, type Signed } from './visit.ts'

/** A request of a signed-in person for a page of one of their merchants. */
export type MerchantVisit = Signed & { membership: Place }

/**
 * Handles a request for a page of the merchant in its path. A merchant of which the person is no member is answered as
 * an unknown one.
 * @param handle `fields` is undefined for a GET
 */
export const forMerchant = async (
  deps: DashboardDeps,
  request: PageRequest,
  handle: (visit: MerchantVisit, fields: Fields | undefined) => Promise<PageAnswer>,
): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const { session, words } = visit
  const fields = request.method === 'POST' ? readFields(request, deps) : undefined
  if (!session) return askToSignIn(deps, visit, fields)
  const placed = { ...visit, session, membership: await membershipIn(deps, request, session.person.id) }
  try {
    return await handle(placed, fields)
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error
    const sections = [html`<section class="panel"><p>${words.notAllowed}</p></section>`]
    return pageOf(visit, { title: words.notAllowedTitle, status: 403, merchant: placed.membership, sections })
  }
}

const membershipIn = async ({ db }: DashboardDeps, { params }: PageRequest, personId: string): Promise<Place> => {
  const found = await membershipOf(db, personId, params['merchant'] ?? '')
  if (found) return found
  throw refusal(generalErrors.notFound, 'there is no such page')
}
