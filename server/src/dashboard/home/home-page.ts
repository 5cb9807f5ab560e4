import { html, type Markup } from '@bursar/checkout/html'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { mayRole, type Action } from '../../people/access/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { liveRegion, merchantPage, type Scope } from '../frame/index.ts'
import type { HomePageDeps } from './deps.ts'
import { moneyOf } from './money.ts'
import { MOST_NEEDS, readNeeds, type Needs } from './needs.ts'
import { firstSteps } from './steps.ts'
import { HOME_WORDS, type Need } from './words/index.ts'

/** The first page about a merchant. */
export const homePage =
  (deps: HomePageDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { merchantId, role, visit } = scope
    const needs = await readNeeds(deps.db, merchantId, {
      now: new Date(deps.runtime.clock.business()),
      real: visit.now.real,
    })
    const { notificationsUrl } = await settingsOf(deps.db, merchantId)
    const done = { invoice: needs.isInvoicing, webhook: notificationsUrl !== null, team: needs.isTeam }
    return merchantPage(scope, {
      title: visit.words.home,
      part: 'home',
      sections: [
        firstSteps(scope, deps.publicUrl, done),
        liveRegion('needs', needsOf(scope, needs)),
        mayRole(role, 'see-balances') && (await moneyOf(deps, scope)),
      ],
    })
  }

/** The page about each need, and the permission that it needs. */
const PAGES: Readonly<Record<Need, { path: string; query: Readonly<Record<string, string>>; action: Action }>> = {
  claims: { path: 'refunds', query: { kind: 'claim', status: 'open' }, action: 'see-payments' },
  requests: { path: 'payouts', query: {}, action: 'see-payouts' },
  underpaid: { path: 'payments', query: { kind: 'crypto', status: 'ended' }, action: 'see-payments' },
  held: { path: 'payments', query: { kind: 'deposit', status: 'processing' }, action: 'see-payments' },
  stopped: { path: 'balances', query: {}, action: 'see-balances' },
  failing: { path: 'webhooks', query: { state: 'failing' }, action: 'see-webhooks' },
  endpoints: { path: 'webhooks/endpoints', query: {}, action: 'see-webhooks' },
}

/** What needs a member, in the order in which it is listed. */
const ORDER: readonly Need[] = ['claims', 'requests', 'underpaid', 'held', 'stopped', 'failing', 'endpoints']

const needsOf = ({ visit, role, merchantId, language }: Scope, needs: Needs): Markup => {
  const texts = HOME_WORDS[language]
  const shown = ORDER.filter((need) => needs[need] > 0 && mayRole(role, PAGES[need].action))
  const countOf = (need: Need): string => (needs[need] >= MOST_NEEDS ? `≥ ${MOST_NEEDS}` : String(needs[need]))
  return html`<section class="panel"><h2>${texts.needsYou}</h2>${
    shown.length === 0
      ? html`<p>${texts.nothingNeeds}</p>`
      : html`<ul class="rows">${shown.map(
          (need) =>
            html`<li class="line one"><a href="${linkTo(visit, merchantPath(merchantId, PAGES[need].path), PAGES[need].query)}">${texts.needs[need]}</a> <strong>${countOf(need)}</strong></li>`,
        )}</ul>`
  }</section>`
}
