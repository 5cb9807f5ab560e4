import { amountText } from '@bursar/checkout/amounts'
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { limitsOf, tickersOf, type MakingSettings } from '../../pay-in/payment-links/index.ts'
import { hidden, linkTo } from '../../people/pages/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import type { Scope } from '../frame/index.ts'
import { entry, problemSummary, select, type Shown } from './fields.ts'
import { DURATIONS, type Duration } from './typed.ts'

/** The choice of the currency and of the way to pay, in one field. */
const moneyField = ({ language }: Scope, shown: Shown, settings: MakingSettings): Markup => {
  const { texts } = shown
  const { crypto, card } = tickersOf(settings)
  const isAsset = (ticker: string): boolean => settings.catalogue.findCrypto(ticker) !== undefined
  const cardLimits = card.map((ticker) => {
    const { least, most } = limitsOf({ kind: 'card', ticker }, settings)
    const show = (value: string): string => amountText({ value, ticker }, language)
    return `${show(least!)} – ${show(most!)}`
  })
  return select(
    shown,
    {
      name: 'money',
      label: texts.money,
      isNeeded: true,
      ...(card.length > 0 && { hint: texts.cardLimits(cardLimits.join(', ')) }),
    },
    [
      [texts.groups.crypto, crypto.filter(isAsset).map((ticker) => [`crypto:${ticker}`, ticker] as const)],
      [
        texts.groups.price,
        crypto.filter((one) => !isAsset(one)).map((ticker) => [`crypto:${ticker}`, ticker] as const),
      ],
      [texts.groups.card, card.map((ticker) => [`card:${ticker}`, ticker] as const)],
    ],
  )
}

const languageField = (scope: Scope, shown: Shown): Markup =>
  select(shown, { name: 'language', label: shown.texts.language }, [
    [
      '',
      [['', shown.texts.anyLanguage] as const, ...LANGUAGES.map((one) => [one, shown.texts.languages[one]] as const)],
    ],
  ])

const common = (shown: Shown): readonly Markup[] => [
  entry(shown, { name: 'name', label: shown.texts.name, hint: shown.texts.nameHint, isNeeded: true }),
]

const framed = ({ visit }: Scope, shown: Shown, button: string, content: Piece): Markup =>
  html`<form method="post" action="${linkTo(visit, visit.path)}" class="panel" novalidate>${hidden('key', shown.typed.key)}${problemSummary(shown)}${content}<div class="pager"><button>${button}</button></div></form>`

export const invoiceForm = (scope: Scope, shown: Shown, settings: MakingSettings): Markup => {
  const { texts } = shown
  return framed(scope, shown, texts.create, [
    common(shown),
    moneyField(scope, shown, settings),
    entry(shown, { name: 'amount', label: texts.amount, mode: 'decimal', most: 50, isNeeded: true }),
    entry(shown, { name: 'description', label: texts.description, hint: texts.descriptionHint, most: 500 }),
    entry(shown, { name: 'meta', label: texts.meta, hint: texts.metaHint, most: 500 }),
    entry(shown, { name: 'email', label: texts.email, hint: texts.emailHint, type: 'email', most: 254 }),
    languageField(scope, shown),
    select(shown, { name: 'duration', label: texts.duration, hint: texts.durationHint, isNeeded: true }, [
      ['', (Object.keys(DURATIONS) as Duration[]).map((one) => [one, texts.durations[one]] as const)],
    ]),
    entry(shown, { name: 'redirect', label: texts.redirect, hint: texts.redirectHint, mode: 'url', most: 900 }),
  ])
}

/** @param fixed the currency of an existing link, which does not change */
export const linkForm = (scope: Scope, shown: Shown, settings: MakingSettings, fixed?: { ticker: string }): Markup => {
  const { texts } = shown
  return framed(scope, shown, fixed ? texts.save : texts.createLink, [
    fixed && hidden('do', 'save'),
    common(shown),
    fixed ? html`<p class="soft">${texts.moneyFixed(fixed.ticker)}</p>` : moneyField(scope, shown, settings),
    entry(shown, { name: 'amount', label: texts.amount, hint: texts.openHint, mode: 'decimal', most: 50 }),
    html`<div class="grid">${entry(shown, { name: 'least', label: texts.least, mode: 'decimal', most: 50 })}${entry(shown, { name: 'most', label: texts.most, mode: 'decimal', most: 50 })}</div>`,
    entry(shown, { name: 'description', label: texts.description, hint: texts.descriptionHint, most: 500 }),
    languageField(scope, shown),
    entry(shown, { name: 'expires', label: texts.lastDay, type: 'date', most: 10 }),
    entry(shown, { name: 'uses', label: texts.mostUses, hint: texts.mostUsesHint, mode: 'numeric', most: 5 }),
  ])
}
