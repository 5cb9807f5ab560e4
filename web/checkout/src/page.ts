import { hash } from 'node:crypto'
import { documentOf, type RenderedPage } from './document.ts'
import { ISLAND } from './island.generated.ts'
import { foreign, html, type Markup } from './html.ts'
import { ICONS } from './icons.ts'
import { outsideLink } from './links.ts'
import { addressOf, sceneOf, type Panel, type Scene } from './panel.ts'
import { countdown, note } from './parts.ts'
import { problemText } from './problems.ts'
import { leavingPanel, checkingPanel, failedPanel, receivedPanel, waitingPanel } from './states/card.ts'
import { expiredPanel, latePanel, underpaidPanel } from './states/ended.ts'
import { openPanel } from './states/open.ts'
import { confirmingPanel, paidPanel } from './states/paid.ts'
import { payPanel } from './states/pay.ts'
import type { Amount, Language, PageState, PageView } from './view.ts'

const REFRESH_SECONDS = 15

/** Renders an invoice as HTML, with the headers to send. Throws when the acquirer's URL is not http or https. */
export const renderPage = (view: PageView, language: Language): RenderedPage => {
  const scene = sceneOf(view, language)
  const panel = panelOf(scene)
  return documentOf({
    language,
    title: `${panel.title} · ${scene.words.pageTitle(view.seller.name)}`,
    seller: view.seller,
    main: main(scene, panel),
    inLanguage: (other) => addressOf(view, other),
    refreshSeconds: panel.changes ? (panel.reloadsAfterS ?? REFRESH_SECONDS) : undefined,
    script: ISLAND,
    formTo: panel.formTo,
  })
}

/** The payer's input, and estimates of fees, which need not be current. */
const UNVERSIONED = new Set(['given', 'problem', 'problems', 'fee'])

/** A short version id of an invoice's content: when it changes, the page has to be rendered again. */
export const versionOf = ({ state, wrongAsset }: PageView): string => {
  const content = JSON.stringify([state, wrongAsset ?? []], (key, value: unknown) =>
    UNVERSIONED.has(key) ? undefined : value,
  )
  return hash('sha256', content, 'base64url').slice(0, 16)
}

const panelOf = (scene: Scene): Panel => {
  const { state } = scene
  switch (state.at) {
    case 'open':
      return openPanel({ ...scene, state })
    case 'pay':
      return payPanel({ ...scene, state })
    case 'confirming':
      return confirmingPanel({ ...scene, state })
    case 'paid':
      return paidPanel({ ...scene, state })
    case 'expired':
      return expiredPanel({ ...scene, state })
    case 'underpaid':
      return underpaidPanel({ ...scene, state })
    case 'late':
      return latePanel({ ...scene, state })
    case 'waiting':
      return waitingPanel({ ...scene, state })
    case 'leaving':
      return leavingPanel({ ...scene, state })
    case 'checking':
      return checkingPanel({ ...scene, state })
    case 'received':
      return receivedPanel({ ...scene, state })
    case 'failed':
      return failedPanel({ ...scene, state })
  }
}

const main = (scene: Scene, panel: Panel): Markup => {
  const { view } = scene
  const live = addressOf({ path: `${view.path}/live`, keep: view.keep }, scene.language)
  const content = html`${summary(scene, panel)}<section class="panel ${panel.tone}" aria-labelledby="title">${steps(scene, panel)}${notice(scene)}${wrongAssets(scene)}
<div class="head ${panel.tone === 'wait' && 'turn'}">${panel.icon && html`<span class="badge">${panel.icon}</span>`}<h1 id="title">${panel.title}</h1></div>${panel.body}${contact(scene, panel)}</section>`
  const version = versionOf(view)
  // Only the payer changes a form that is filled in, but its page still follows the end of the invoice.
  return panel.changes
    ? html`<main data-version="${version}" data-live="${live}">${content}</main>`
    : html`<main data-version="${version}">${content}</main>`
}

const steps = ({ words }: Scene, { step }: Panel): Markup | undefined =>
  step === undefined
    ? undefined
    : html`<ol class="steps" aria-label="${words.steps}">${[words.stepDetails, words.stepPayment, words.stepDone].map(
        (name, i) => {
          if (i === step) return html`<li class="now" aria-current="step">${name}</li>`
          return html`<li class="${i < step ? 'done' : 'next'}">${name}</li>`
        },
      )}</ol>`

const notice = (scene: Scene): Markup | undefined =>
  scene.view.notice && html`<div role="alert">${note('calm', ICONS.alert, problemText(scene, scene.view.notice))}</div>`

const wrongAssets = (scene: Scene): Markup | undefined => {
  const { view, words } = scene
  const wrong = view.wrongAsset ?? []
  if (wrong.length === 0) return undefined
  return note(
    'bad',
    ICONS.alert,
    html`<strong>${words.wrongAssetTitle}</strong>`,
    ...wrong.map((one) => words.wrongAsset(scene.amount(one), one.networkName, view.seller.name)),
  )
}

/** How to reach the merchant, where the payer may need help. */
const contact = ({ view, words }: Scene, { needsHelp }: Panel): Markup | undefined => {
  const { name, support } = view.seller
  if (needsHelp !== true && (view.wrongAsset ?? []).length === 0) return undefined
  const url = outsideLink(support.url)
  const { email } = support
  if (url === undefined && email === undefined) return undefined
  const subject = encodeURIComponent(`${view.name} (${view.id})`)
  return html`<p class="soft">${words.help} ${url !== undefined && html`<a href="${url}" rel="noreferrer">${words.helpPage(name)}</a>`}${url !== undefined && email !== undefined && ' · '}${email !== undefined && html`<a href="mailto:${encodeURIComponent(email).replace('%40', '@')}?subject=${subject}">${email}</a>`}</p>`
}

const ENDED = new Set<PageState['at']>(['paid', 'expired', 'underpaid', 'late'])

const summary = (scene: Scene, { until }: Panel): Markup => {
  const { view, words, state } = scene
  const base = 'base' in state ? state.base : undefined
  const whole = base ?? state.asked
  return html`<section class="summary" aria-label="${words.invoice}"><p class="label">${ENDED.has(state.at) ? words.amountAsked : words.amountDue}</p>
<p class="sum">${whole ? sum(scene, whole) : html`<small>${openSum(scene)}</small>`}</p>
${base && state.asked && !isStale(state) && html`<p class="soft">= ${scene.amount(state.asked)}</p>`}
<p class="about">${foreign(view.name)}</p>${view.description !== undefined && html`<p class="soft">${foreign(view.description)}</p>`}
${until !== undefined && html`<p class="left">${ICONS.clock}<span>${until.label}</span> <b>${countdown(scene, until.at)}</b></p>`}</section>`
}

/** The amount shown while the payer still chooses: the fixed amount, or only the currency to choose. */
const openSum = ({ state, words, amount }: Scene): string => {
  const fixed =
    state.at === 'open'
      ? state.options.flatMap(({ exact, ticker }) => (exact === undefined ? [] : [amount({ value: exact, ticker })]))
      : []
  return fixed.length > 0 ? fixed.join(' / ') : words.amountOpen
}

/** Whether the rate of an amount in crypto is over, so that the amount is not valid. */
const isStale = (state: PageState): boolean => state.at === 'pay' && state.quote?.over === true

/** Renders an amount. The ticker of a coin follows its figure in smaller type; currencies are formatted by language. */
const sum = (scene: Scene, amount: Amount): Markup => {
  const text = scene.amount(amount)
  return text.startsWith(amount.value) && text.endsWith(amount.ticker)
    ? html`${amount.value} <small>${amount.ticker}</small>`
    : html`${text}`
}
