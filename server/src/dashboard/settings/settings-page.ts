import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { companyOf, settingsOf, type MerchantSettings } from '../../merchants/accounts/index.ts'
import { ProofNeeded, type Session } from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, merchantPath, provePanel, redirect, toSignIn } from '../../people/pages/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { choiceField, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import {
  changeSettings,
  EDITED,
  shownOf,
  textsOf,
  WrongSettings,
  type Edited,
  type EditedSettings,
} from './commands.ts'
import { LOGO, PREVIEW, SETTINGS, type SettingsPagesDeps } from './deps.ts'
import { LOGO_WORDS } from './words/logo.ts'
import { LANGUAGE_NAMES, SETTINGS_WORDS } from './words/index.ts'

interface Shown {
  /** the texts in the form */
  texts: EditedSettings
  /** identifies the stored values from which the person started */
  shown: string
  wrong?: readonly Edited[]
  /** the result of the last action */
  said?: { tone: 'good' | 'bad'; text: string }
  status?: number
}

/** Identifies the values that the form has shown. It travels with the texts, also through a proof. */
const SHOWN = 'setting-shown'
/** Names of the form's fields, which no other form has. */
const fieldOf = (name: Edited): string => `setting-${name}`
/** The most characters of a field in a browser: 100 host names are shorter. */
const LONGEST = 30_000

/** The settings of a merchant, with the texts that the person typed before a proof. */
export const settingsPage =
  (deps: SettingsPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, request, language, merchantId } = scope
    if (!visit.session) return toSignIn(visit)
    const settings = await settingsOf(deps.db, merchantId)
    const draft = draftOf(deps, visit.session, request)
    const draftShown = draft[SHOWN]
    const stored = textsOf(settings)
    // The texts of a form travel together: a field that was emptied is absent.
    const texts = draftShown === undefined ? stored : read((name) => draft[name] ?? '')
    const said =
      request.query['said'] === 'saved' ? { tone: 'good' as const, text: SETTINGS_WORDS[language].saved } : undefined
    return pageWith(deps, scope, visit.session, settings, {
      texts,
      shown: draftShown ?? shownOf(stored),
      ...(said && { said }),
    })
  }

const read = (fields: (name: string, length: 'whole') => string): EditedSettings =>
  Object.fromEntries(EDITED.map((name) => [name, fields(fieldOf(name), 'whole')])) as EditedSettings

/** Changes the settings. */
export const saveSettings =
  (deps: SettingsPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId, language } = scope
    const words = SETTINGS_WORDS[language]
    const texts = read(fields)
    const failed = async (text: string, status: number, wrong: readonly Edited[] = []): Promise<PageAnswer> =>
      pageWith(deps, scope, session, await settingsOf(deps.db, merchantId), {
        texts,
        shown: fields(SHOWN),
        wrong,
        said: { tone: 'bad', text },
        status,
      })
    try {
      const given = { merchantId, texts, shown: fields(SHOWN) }
      const changed = await inTransaction(deps.db, (tx) => changeSettings(tx, session, given, visit.now))
      if (changed === 'changed') return await failed(words.changedElsewhere, 409)
    } catch (error) {
      if (error instanceof ProofNeeded) return failed(words.proveFirst, 403)
      if (error instanceof WrongSettings) return failed(words.notSaved, 400, error.settings)
      throw error
    }
    return redirect(linkTo(visit, merchantPath(merchantId, SETTINGS), { said: 'saved' }))
  }

const pageWith = async (
  deps: SettingsPagesDeps,
  scope: Scope,
  session: Session,
  settings: MerchantSettings,
  { texts, shown, wrong = [], said, status = 200 }: Shown,
): Promise<PageAnswer> => {
  const { visit, merchantId } = scope
  const stored = textsOf(settings)
  const draft = EDITED.every((name) => texts[name] === stored[name])
    ? {}
    : { [SHOWN]: shown, ...Object.fromEntries(EDITED.map((name) => [fieldOf(name), texts[name]])) }
  const proving = await provePanel(deps, { ...visit, session }, { next: merchantPath(merchantId, SETTINGS), draft })
  return merchantPage(scope, {
    title: visit.words.settings,
    part: 'settings',
    status,
    isProving: proving !== undefined,
    sections: [
      said &&
        html`<div role="${said.tone === 'bad' ? 'alert' : 'status'}">${note(said.tone, said.tone === 'bad' ? ICONS.alert : ICONS.check, said.text)}</div>`,
      proving,
      html`<section class="panel"><h2>${LOGO_WORDS[visit.language].title}</h2><p class="soft">${LOGO_WORDS[visit.language].about}</p><a href="${linkTo(visit, merchantPath(merchantId, LOGO))}">${LOGO_WORDS[visit.language].change}</a></section>`,
      editForm(scope, texts, shown, wrong),
      previewForm(scope, texts),
      await limitsOf(deps, scope, settings),
    ],
  })
}

const editForm = (scope: Scope, texts: EditedSettings, shown: string, wrong: readonly Edited[]): Markup => {
  const { visit, language } = scope
  const words = SETTINGS_WORDS[language]
  const yesNo = [
    ['true', words.yes],
    ['false', words.no],
  ] as const
  const languages = LANGUAGES.map((one) => [one, LANGUAGE_NAMES[one]] as const)
  const choose = (name: Edited, options: readonly (readonly [string, string])[]): Markup =>
    choiceField({ name: fieldOf(name), label: words.names[name], value: texts[name] }, options)
  return html`<form method="post" action="${linkTo(visit, visit.path)}" class="panel">${hidden(SHOWN, shown)}
<h2>${words.brand}</h2>${(['accent', 'supportUrl', 'supportEmail', 'assetOrder', 'redirectHosts'] as const).map((name) => textInput(scope, name, texts[name], wrong.includes(name)))}
<h2>${words.mails}</h2>${textInput(scope, 'email', texts.email, wrong.includes('email'))}${choose('mailLanguage', languages)}${choose('activityMails', yesNo)}${choose('monthlyMails', yesNo)}
<div class="pager"><button>${words.save}</button></div></form>`
}

const textInput = ({ language }: Scope, name: Edited, value: string, isWrong: boolean): Markup => {
  const words = SETTINGS_WORDS[language]
  const id = `field-${fieldOf(name)}`
  const hint: Piece = isWrong
    ? html`<span class="wrong">${words.wrong} ${words.hints[name]}</span>`
    : html`<span class="soft">${words.hints[name]}</span>`
  return html`<div class="field"><label class="name" for="${id}">${words.names[name]}</label><p id="${id}-hint">${hint}</p>
<input id="${id}" name="${fieldOf(name)}" type="text" value="${value}" maxlength="${LONGEST}" autocomplete="off" aria-describedby="${id}-hint"${isWrong && html` aria-invalid="true"`}></div>`
}

const previewForm = ({ visit, merchantId, language }: Scope, texts: EditedSettings): Markup => {
  const words = SETTINGS_WORDS[language]
  const field = (name: 'accent' | 'supportUrl' | 'supportEmail'): Markup =>
    html`<div class="field"><label class="name" for="try-${name}">${words.names[name]}</label><input id="try-${name}" name="${name}" type="text" value="${texts[name]}" maxlength="${LONGEST}" autocomplete="off"></div>`
  const path = merchantPath(merchantId, PREVIEW)
  return html`<form method="get" action="${path}" class="panel"><h2>${words.preview}</h2><p class="soft">${words.previewText}</p>${visit.chosen !== undefined && hidden('lang', visit.chosen)}<div class="grid">${field('accent')}${field('supportUrl')}${field('supportEmail')}</div><div class="pager"><button class="second">${words.preview}</button></div></form>`
}

/** What the operator sets. */
const limitsOf = async (
  { db }: SettingsPagesDeps,
  { merchantId, language }: Scope,
  settings: MerchantSettings,
): Promise<Markup> => {
  const words = SETTINGS_WORDS[language]
  const company = await companyOf(db, merchantId)
  const countOf = (count: number | null): string => (count === null ? words.noLimit : String(count))
  return html`<section class="panel"><h2>${words.limits}</h2><p class="soft">${words.limitsText}</p>${facts([
    [words.company, company.name],
    [words.site, company.url],
    [words.addressLimit, countOf(settings.addressLimit)],
    [words.requestsPerMinute, countOf(settings.requestsPerMinute)],
    [words.hourPercent, `${settings.withdrawalHourPercent}\u00A0%`],
    [words.dayPercent, `${settings.withdrawalDayPercent}\u00A0%`],
    [words.shortfall, `${settings.shortfallPercent}\u00A0%, ≤ ${settings.shortfallUsd} USD`],
    [words.cardHold, String(settings.cardHoldHours)],
    [words.convertTo, settings.defaultTarget ?? words.no],
  ])}</section>`
}
