/**
 * The pages of payouts by two people: the requests of a merchant, a new payout step by step or in one form, a file of
 * payouts, one request with its decision, the payouts that were made in any way, the address book and the policy.
 * Guarantees:
 * - a page decides only which forms to show: the commands check permission, proof and policy;
 * - a form makes one request, however often it is sent;
 * - a request of another merchant is answered as an unknown one.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { livePage, memberForm, memberPage } from '../frame/index.ts'
import { bookPage, changeBook } from './book-page.ts'
import {
  BOOK,
  EXAMPLE,
  FILE,
  GUIDE,
  MADE,
  MADE_EXPORT,
  MADE_ONE,
  MOST_FILE_BYTES,
  NEW,
  ONE,
  PAYOUTS,
  POLICY,
  type PayoutPagesDeps,
} from './deps.ts'
import { exampleFile, filePage, submitFile } from './file-page.ts'
import { guidePage, submitGuide } from './guide-page.ts'
import { payoutsPage } from './list-page.ts'
import { madeFile, madeOnePage, madePage } from './made-pages.ts'
import { newPage, submitNew } from './new-page.ts'
import { policyPage, submitPolicy } from './policy-page.ts'
import { decide, requestPage } from './request-page.ts'

export const payoutPages = (deps: PayoutPagesDeps): PageRoute[] => [
  livePage(deps, PAYOUTS, 'see-payouts', payoutsPage(deps)),
  memberPage(deps, NEW, 'request-payouts', newPage(deps)),
  memberForm(deps, NEW, 'request-payouts', submitNew(deps)),
  memberPage(deps, GUIDE, 'request-payouts', guidePage(deps)),
  memberForm(deps, GUIDE, 'request-payouts', submitGuide(deps)),
  memberPage(deps, FILE, 'request-payouts', filePage()),
  memberForm(deps, FILE, 'request-payouts', submitFile(deps), MOST_FILE_BYTES),
  memberPage(deps, EXAMPLE, 'request-payouts', exampleFile(deps)),
  livePage(deps, ONE, 'see-payouts', requestPage(deps)),
  memberForm(deps, ONE, 'see-payouts', decide(deps)),
  memberPage(deps, MADE, 'see-payouts', madePage(deps)),
  memberPage(deps, MADE_EXPORT, 'see-payouts', madeFile(deps)),
  memberPage(deps, MADE_ONE, 'see-payouts', madeOnePage(deps)),
  memberPage(deps, BOOK, 'see-payouts', bookPage(deps)),
  memberForm(deps, BOOK, 'manage-payout-addresses', changeBook(deps)),
  memberPage(deps, POLICY, 'see-payouts', policyPage(deps)),
  memberForm(deps, POLICY, 'manage-payout-policy', submitPolicy(deps)),
]
