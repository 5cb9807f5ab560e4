import { html, type Markup } from '@bursar/checkout/html'
import { generalErrors } from '@bursar/contract'
import { pictureOf, refuseIfBusy, type MonthStatement, type StatementSum } from '../../merchants/documents/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { chosenLanguage, choiceField, lostPage, type Scope } from '../frame/index.ts'
import { assetIn, BALANCES, type BalancePagesDeps } from './deps.ts'
import { endedMonths, readMonth, type MonthOfBalance } from './months.ts'

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
    const statement: MonthStatement = {
      company: scope.merchantName,
      ticker,
      month: month.name,
      endsAt: month.to.getTime(),
      ...shown(read, words.causes, (units) => formatUnits(units, scale)),
    }
    const logo = await pictureOf(db, merchantId)
    const body = await documents.make({ kind: 'statement', statement, language, logo }).catch(refuseIfBusy)
    const name = `statement-${ticker.replaceAll(/[^A-Za-z0-9]/g, '')}-${month.name}.pdf`
    return {
      status: 200,
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'private, no-store',
      },
      body,
    }
  }

const RETRY_SECONDS = 60

/** @param names of causes */
const shown = (
  { opening, closing, credits, debits, changes }: MonthOfBalance,
  names: Readonly<Record<string, string>>,
  show: (units: bigint) => string,
): Pick<MonthStatement, 'opening' | 'closing' | 'credits' | 'debits' | 'changes'> => {
  const nameOf = (cause: string): string => names[cause] ?? cause
  const sums = (of: MonthOfBalance['credits']): StatementSum[] =>
    of.map(({ cause, entries, units }) => ({
      cause: cause === null ? null : nameOf(cause),
      count: entries,
      amount: show(units),
    }))
  return {
    opening: show(opening),
    closing: show(closing),
    credits: sums(credits),
    debits: sums(debits),
    changes:
      changes &&
      changes.map(({ at, cause, posted, postedAfter }) => ({
        at: at.getTime(),
        cause: nameOf(cause.kind),
        amount: show(posted),
        balanceAfter: show(postedAfter),
      })),
  }
}
