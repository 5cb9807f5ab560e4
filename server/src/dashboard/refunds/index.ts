/**
 * The pages of refunds: the claims of underpaid crypto invoices and the refunds of card payments in one list, the page
 * of a claim with its decision, and the form that asks for a refund of a card payment. Guarantees:
 * - money moves only by a request, which has the policy and the approvals of payouts (`pay-out/requests`);
 * - a form asks once, however often it is sent, and a claim or a card payment has one open request at a time;
 * - a claim or a payment of another merchant is answered as an unknown one.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { cardPage, submitCard } from './card-page.ts'
import { claimPage, decideClaim } from './claim-page.ts'
import { CARD, CLAIM, EXPORT, REFUNDS, type RefundPagesDeps } from './deps.ts'
import { refundsFile, refundsPage } from './list-page.ts'

export const refundPages = (deps: RefundPagesDeps): PageRoute[] => [
  memberPage(deps, REFUNDS, 'see-payments', refundsPage(deps)),
  memberPage(deps, EXPORT, 'see-payments', refundsFile(deps)),
  memberPage(deps, CLAIM, 'see-payments', claimPage(deps)),
  memberForm(deps, CLAIM, 'refund-payments', decideClaim(deps)),
  memberPage(deps, CARD, 'refund-payments', cardPage(deps)),
  memberForm(deps, CARD, 'refund-payments', submitCard(deps)),
]
