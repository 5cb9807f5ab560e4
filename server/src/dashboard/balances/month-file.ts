import { html, type Markup } from '@bursar/checkout/html'
import { generalErrors } from '@bursar/contract'
import { pictureOf, refuseIfBusy } from '../../merchants/documents/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { chosenLanguage, choiceField, lostPage, type Scope } from '../frame/index.ts'
import { assetIn, BALANCES, type BalancePagesDeps } from './deps.ts'
import { statementName, statementOf } from './month-statement.ts'
import { endedMonths, readMonth } from './months.ts'

/** The form in which a member chooses the month of a statement. @param now ms */
export const monthForm = (scope: Scope, ticker: string, now: number): Markup => {
  const { words, visit, merchantId } = scope
  const months = endedMonths(now).map(({ name }) => [name, name] as const)
  const field = choiceField({ name: 'month', label: words.month, value: months[0]![0] }, months)
  const path = linkTo(visit, merchantPath(merchantId, `${BALANCES}/${ticker}/month`))
  return html`<form method="get" action="${path}" class="panel">${chosenLanguage(scope)}<div class="find">${field}<button class="second">${words.monthPdf}</button></div></form>`
}

/** The statement of a month that has ended, as PDF; of the newest one if none is chosen. */
export const monthFile =
  (deps: BalancePagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, visit, request, merchantId, language } = scope
    const { db, catalogue, documents, runtime } = deps
    const asset = assetIn(catalogue, request.params['ticker'])
    const month = endedMonths(runtime.clock.business()).find(({ name }) => name === (request.query['month'] ?? name))
    if (!asset || !month) return lostPage(visit, words)
    const { ticker, scale } = asset
    const read = await readMonth(db, { merchantId, ticker }, month)
    if (!read) {
      throw refusal(
        generalErrors.unavailable,
        'the newest entries of the month are not counted yet: try again in a minute',
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      )
    }
    const statement = statementOf({ company: scope.merchantName, ticker, scale, month }, read, language)
    const logo = await pictureOf(db, merchantId)
    const body = await documents.make({ kind: 'statement', statement, language, logo }).catch(refuseIfBusy)
    return {
      status: 200,
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${statementName(ticker, month)}"`,
        'cache-control': 'private, no-store',
      },
      body,
    }
  }

const RETRY_SECONDS = 60
