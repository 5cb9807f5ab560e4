import { amountText } from '@bursar/checkout'
import { html, type Markup } from '@bursar/checkout/html'
import { dailyBalancesOf, receivedOf } from '../../ledger/figures/index.ts'
import { balancesOf } from '../../ledger/postings/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { CENTS, currenciesOf, worthOf, type Currency } from '../balances/index.ts'
import { amountMarkup, chosenLanguage, choiceField, liveRegion, table, type Scope } from '../frame/index.ts'
import { chartOf, type Point } from './chart.ts'
import { carryOn, daysUntil, SPANS, spanOf, type Span } from './days.ts'
import type { HomePageDeps } from './deps.ts'
import { HOME_WORDS } from './words/index.ts'

/** Received from payers: deposits and card payments. */
const RECEIVED = ['deposit', 'payment']
/** The balances of the largest value that the page names. */
const MOST_BALANCES = 6

type Asset = Pick<HomePageDeps['catalogue']['crypto'][number], 'ticker' | 'scale'>

/** Amounts of one currency at the prices of now. */
interface Pricing {
  currency: Currency
  /** hundredths of the currency; null without a fresh price */
  worth(ticker: string, units: bigint): bigint | null
  show(worth: bigint): string
}

/** The balances with their total, and the charts, in one currency. */
export const moneyOf = async (deps: HomePageDeps, scope: Scope): Promise<readonly (Markup | undefined)[]> => {
  const { request, language, merchantId } = scope
  const { db, catalogue, runtime } = deps
  const assets: readonly Asset[] = [...catalogue.crypto, ...catalogue.fiat]
  const tickers = assets.map(({ ticker }) => ticker)
  const now = runtime.clock.now()
  const prices = await freshPrices(db, tickers, new Date(now))
  const currencies = currenciesOf(catalogue, prices)
  const currency = currencies.find(({ ticker }) => ticker === request.query['in']) ?? currencies[0]!
  const scales = new Map(assets.map(({ ticker, scale }) => [ticker, scale]))
  const pricing: Pricing = {
    currency,
    worth: (ticker, units) => {
      const [price, scale] = [prices.get(ticker), scales.get(ticker)]
      return price === undefined || scale === undefined ? null : worthOf({ units, scale }, price, currency)
    },
    show: (worth) => amountText({ value: formatUnits(worth, CENTS), ticker: currency.ticker }, language),
  }
  const span = spanOf(request.query['days'])
  const days = daysUntil(runtime.clock.business(), span)
  const pairs = tickers.map((asset) => ({ merchantId, asset }))
  const balances = await balancesOf(db, 'merchant', pairs)
  const received = await receivedOf(db, merchantId, days[0]!, RECEIVED)
  const closings = await dailyBalancesOf(db, merchantId, days[0]!, tickers)
  const held = balances.map(({ asset, posted }) => ({ asset, posted, worth: pricing.worth(asset, posted) }))
  return [
    liveRegion('balances', summary(scope, held, scales, pricing)),
    choices(scope, currencies, currency, span),
    chartOf({ ...receivedChart(scope, days, received, pricing), shape: 'bars' }),
    chartOf({ ...balanceChart(scope, days, closings, pricing), shape: 'line' }),
  ]
}

interface Held {
  asset: string
  posted: bigint
  worth: bigint | null
}

const byWorth = (a: Held, b: Held): number =>
  Number((b.worth ?? 0n) > (a.worth ?? 0n)) - Number((b.worth ?? 0n) < (a.worth ?? 0n))

const summary = (
  scope: Scope,
  held: readonly Held[],
  scales: ReadonlyMap<string, number>,
  { show, currency }: Pricing,
): Markup => {
  const { words, visit, merchantId, language } = scope
  const total = held.reduce((sum, { worth }) => sum + (worth ?? 0n), 0n)
  const shown = held
    .filter(({ posted }) => posted !== 0n)
    .toSorted(byWorth)
    .slice(0, MOST_BALANCES)
  const rows = shown.map(({ asset, posted, worth }) => [
    html`<a href="${linkTo(visit, merchantPath(merchantId, `balances/${asset}`))}">${asset}</a>`,
    amountMarkup(scope, { value: formatUnits(posted, scales.get(asset)!), ticker: asset }),
    worth === null ? html`<span class="soft">${words.noPrice}</span>` : show(worth),
  ])
  const columns = [
    { title: words.asset },
    { title: words.balance, isNumber: true },
    { title: words.value(currency.ticker), isNumber: true },
  ]
  const all = html`<p><a href="${linkTo(visit, merchantPath(merchantId, 'balances'))}">${HOME_WORDS[language].allBalances}</a></p>`
  return html`<section class="panel"><div class="summary"><p class="label">${words.totalValue}</p><p class="sum">${show(total)}</p></div>${rows.length > 0 && table(visit.words.balances, columns, rows)}${all}</section>`
}

const choices = (scope: Scope, currencies: readonly Currency[], { ticker }: Currency, span: Span): Markup => {
  const { words, visit, language } = scope
  const texts = HOME_WORDS[language]
  const spans = SPANS.toSorted((a, b) => a - b).map((one) => [String(one), texts.lastDays(one)] as const)
  return html`<form method="get" action="${visit.path}" class="panel ask">${chosenLanguage(scope)}<div class="grid">${choiceField({ name: 'days', label: texts.days, value: String(span) }, spans)}${
    currencies.length > 1 &&
    choiceField(
      { name: 'in', label: words.currency, value: ticker },
      currencies.map((one) => [one.ticker, one.ticker] as const),
    )
  }</div><button class="second">${words.apply}</button></form>`
}

type Drawn = Omit<Parameters<typeof chartOf>[0], 'shape'>

const receivedChart = (
  { language }: Scope,
  days: readonly string[],
  received: readonly { day: string; asset: string; entries: number; units: bigint }[],
  { worth, show }: Pricing,
): Drawn => {
  const texts = HOME_WORDS[language]
  const sums = new Map<string, { value: bigint; entries: number }>()
  for (const { day, asset, entries, units } of received) {
    const before = sums.get(day) ?? { value: 0n, entries: 0 }
    sums.set(day, { value: before.value + (worth(asset, units) ?? 0n), entries: before.entries + entries })
  }
  const points = days.map((day): Point => {
    const { value, entries } = sums.get(day) ?? { value: 0n, entries: 0 }
    return { day, value, text: entries === 0 ? show(value) : texts.receivedOn(show(value), entries) }
  })
  const total = points.reduce((sum, { value }) => sum + value, 0n)
  return {
    id: 'received',
    title: texts.received(show(total)),
    note: texts.receivedText,
    columns: [texts.day, texts.receivedColumn],
    tableTitle: texts.asTable,
    points,
  }
}

const balanceChart = (
  { words, language }: Scope,
  days: readonly string[],
  closings: readonly { day: string; asset: string; units: bigint }[],
  { worth, show }: Pricing,
): Drawn => {
  const texts = HOME_WORDS[language]
  const points = carryOn(days, closings).map((balances, i): Point => {
    const value = [...balances].reduce((sum, [asset, units]) => sum + (worth(asset, units) ?? 0n), 0n)
    return { day: days[i]!, value, text: show(value) }
  })
  return {
    id: 'balance',
    title: texts.balance,
    note: texts.balanceText,
    columns: [texts.day, words.balance],
    tableTitle: texts.asTable,
    points,
  }
}
