import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { balancesOf } from '../../ledger/postings/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { amountMarkup, chosenLanguage, choiceField, empty, merchantPage, table, type Scope } from '../frame/index.ts'
import { BALANCES, type BalancePagesDeps } from './deps.ts'
import { CENTS, currenciesOf, worthOf, type Currency } from './worth.ts'

/** A balance of an asset, in ledger units. */
interface Line {
  ticker: string
  name: string
  scale: number
  /** with the held part */
  total: bigint
  held: bigint
  quarantined: bigint
  /** what the merchant owes after a reversal */
  debt: bigint
  /** hundredths of the currency; null without a fresh price */
  worth: bigint | null
}

/** The balances of a merchant in every asset, and their value in one currency. */
export const balancesPage =
  (deps: BalancePagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, merchantId, request, visit } = scope
    const { catalogue, db, runtime } = deps
    const tickers = [...catalogue.crypto, ...catalogue.fiat].map(({ ticker }) => ticker)
    const prices = await freshPrices(db, tickers, new Date(runtime.clock.now()))
    const currencies = currenciesOf(catalogue, prices)
    const currency = currencies.find(({ ticker }) => ticker === request.query['in']) ?? currencies[0]!
    const lines = await linesOf(deps, merchantId, prices, currency)
    const sum = lines.reduce((total, { worth }) => total + (worth ?? 0n), 0n)
    const isEmpty = lines.every(({ total, quarantined, debt }) => total === 0n && quarantined === 0n && debt === 0n)
    return merchantPage(scope, {
      title: visit.words.balances,
      part: 'balances',
      sections: [
        isEmpty
          ? empty(words.noBalances, words.noBalancesText)
          : html`<div class="summary"><p class="label">${words.totalValue}</p><p class="sum">${amountMarkup(scope, { value: formatUnits(sum, CENTS), ticker: currency.ticker })}</p></div>`,
        currencyForm(scope, currencies, currency),
        balanceTable(scope, lines, currency),
      ],
    })
  }

const linesOf = async (
  { db, catalogue }: BalancePagesDeps,
  merchantId: string,
  prices: ReadonlyMap<string, bigint>,
  currency: Currency,
): Promise<Line[]> => {
  const all = [...catalogue.crypto, ...catalogue.fiat]
  const pairs = all.map(({ ticker }) => ({ merchantId, asset: ticker }))
  const [balances, quarantines, debts] = [
    await balancesOf(db, 'merchant', pairs),
    await balancesOf(db, 'quarantine', pairs),
    await balancesOf(db, 'receivable', pairs),
  ]
  const lines = all.map(({ ticker, name, scale }, i): Line => {
    const { posted, held } = balances[i]!
    const price = prices.get(ticker)
    return {
      ticker,
      name,
      scale,
      total: posted,
      held,
      quarantined: quarantines[i]!.posted,
      debt: -debts[i]!.posted,
      worth: price === undefined ? null : worthOf({ units: posted, scale }, price, currency),
    }
  })
  return lines.toSorted((a, b) => Number(b.total !== 0n) - Number(a.total !== 0n))
}

const currencyForm = (scope: Scope, currencies: readonly Currency[], currency: Currency): Markup | undefined => {
  const { words, visit } = scope
  if (currencies.length < 2) return undefined
  const options = currencies.map(({ ticker }) => [ticker, ticker] as const)
  const field = choiceField({ name: 'in', label: words.currency, value: currency.ticker }, options)
  return html`<form method="get" action="${visit.path}">${chosenLanguage(scope)}<div class="find">${field}<button class="second">${words.apply}</button></div></form>`
}

const balanceTable = (scope: Scope, lines: readonly Line[], currency: Currency): Markup => {
  const { words, visit, merchantId } = scope
  const rows = lines.map((line): Piece[] => {
    const { ticker, name, scale, total, held, quarantined, debt, worth } = line
    const show = (units: bigint): Markup => amountMarkup(scope, { value: formatUnits(units, scale), ticker })
    return [
      html`<a href="${linkTo(visit, merchantPath(merchantId, `${BALANCES}/${ticker}`))}">${ticker}</a><br><span class="soft">${name}</span>`,
      html`${show(total - held)}${quarantined !== 0n && html`<br><span class="soft">${words.checked}: ${show(quarantined)}</span>`}${debt !== 0n && html`<br><span class="wrong">${words.accounts['receivable']}: ${show(debt)}</span>`}`,
      show(held),
      show(total),
      worth === null
        ? html`<span class="soft">${words.noPrice}</span>`
        : amountMarkup(scope, { value: formatUnits(worth, CENTS), ticker: currency.ticker }),
    ]
  })
  const columns = [
    { title: words.asset },
    { title: words.available, isNumber: true },
    { title: words.onHold, isNumber: true },
    { title: words.total, isNumber: true, isFar: true },
    { title: words.value(currency.ticker), isNumber: true, isFar: true },
  ]
  return table(visit.words.balances, columns, rows)
}
