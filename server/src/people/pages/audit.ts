import { html, type Markup } from '@bursar/checkout/html'
import { showTime } from '../../merchants/documents/index.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { isRole, readAudit, type MerchantAction } from '../access/index.ts'
import { mailPiece, pageOf } from './frame.ts'
import { forMerchant, type MerchantVisit } from './merchant-page.ts'
import { auditPath, linkTo, type DashboardDeps, type Visit } from './visit.ts'

const PAGE = 50

/** The actions of people and operators for a merchant, newest first. */
export const showAudit = (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> =>
  forMerchant(deps, request, async (visit) => {
    const { words, session, membership } = visit
    const { merchantId } = membership
    const asked = request.query['before'] ?? ''
    const before = isUuid(asked) ? asked : null
    const { actions, hasMore } = await readAudit(deps.db, session.person.id, { merchantId, before, most: PAGE })
    const last = actions.at(-1)
    return pageOf(visit, {
      title: words.audit,
      merchant: visit.membership,
      part: 'audit',
      sections: [
        html`<section class="panel">${
          actions.length === 0
            ? html`<p>${words.noActions}</p>`
            : html`<ul class="rows">${actions.map((action) => actionLine(visit, action))}</ul>`
        }${hasMore && last && html`<a class="button second" href="${olderThan(visit, last)}">${words.older}</a>`}</section>`,
      ],
    })
  })

const olderThan = (visit: MerchantVisit, { id }: MerchantAction): string =>
  linkTo(visit, auditPath(visit.membership.merchantId), { before: id })

const actionLine = (visit: Visit, { at, by, action, about, role, before }: MerchantAction): Markup => {
  const { words } = visit
  const roles = [before, role].filter((one) => one !== null).map((one) => roleIn(visit, one))
  return html`<li class="line"><div>${words.actions[action] ?? action}${about !== null && html`: ${mailPiece(about)}`}${
    roles.length > 0 && html` (${roles.join(' → ')})`
  }<br><span class="soft">${by === null ? words.operator : mailPiece(by)}</span></div><span class="soft">${showTime(at.getTime())}</span></li>`
}

const roleIn = ({ words }: Visit, role: string): string => (isRole(role) ? words.roles[role] : role)
