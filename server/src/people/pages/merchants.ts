import { foreign, html } from '@bursar/checkout/html'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { membershipsOf } from '../access/index.ts'
import { pageOf } from './frame.ts'
import { askToSignIn } from './sign-in.ts'
import { linkTo, merchantPath, visitOf, type DashboardDeps } from './visit.ts'

/** The first page: the merchants of the person, with the role that they have there. */
export const showMerchants = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const { session, words } = visit
  if (!session) return askToSignIn(deps, visit)
  const memberships = await membershipsOf(deps.db, session.person.id)
  return pageOf(visit, {
    title: words.merchantsTitle,
    sections: [
      memberships.length === 0
        ? html`<section class="panel"><p>${words.noMerchants}</p></section>`
        : html`<section class="panel"><ul class="rows">${memberships.map(
            ({ merchantId, name, role }) =>
              html`<li class="line"><a href="${linkTo(visit, merchantPath(merchantId, 'home'))}">${foreign(name)}</a> <span class="soft">${words.roles[role]}</span></li>`,
          )}</ul></section>`,
    ],
  })
}
