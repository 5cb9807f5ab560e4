import { randomUUID } from 'node:crypto'
import { html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { isFormKey, mailPage, type PageToMail } from '../../pay-in/payment-links/index.ts'
import { mayRole, type Session } from '../../people/access/index.ts'
import { hidden, linkTo, type Fields } from '../../people/pages/index.ts'
import { isLanguage, LANGUAGES, type Language } from '../../platform/base/language.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Scope } from '../frame/index.ts'
import type { InvoicingDeps } from './deps.ts'
import { INVOICING_WORDS } from './words/index.ts'
import { MAILING_WORDS, type MailingWords } from './words/mailing.ts'

const [TO, LANGUAGE] = ['mail-to', 'mail-language']

/** The form as it is shown: the typed text, and the result of the form before it. */
export interface Mailing {
  to: string
  language: Language
  said: keyof MailingWords['said'] | undefined
}

/** The form before it is sent; its query has the result of a form that has led back to the page. */
export const mailingIn = ({ request, language }: Scope, to: string, ofPage: Language | null): Mailing => ({
  to,
  language: ofPage ?? language,
  said: request.query['mailed'] === undefined ? undefined : 'queued',
})

/** Mails a page as a form asks for it. A form that is sent twice mails once. @returns the form with its result */
export const mailAsked = async (
  deps: InvoicingDeps,
  { scope, session, fields }: { scope: Scope; session: Session; fields: Fields },
  page: PageToMail,
): Promise<Mailing & { said: keyof MailingWords['said'] }> => {
  const { merchantId, visit } = scope
  const [typed, key, chosen] = [fields(TO).trim(), fields('mail-key'), fields(LANGUAGE)]
  const language = isLanguage(chosen) ? chosen : scope.language
  if (!isFormKey(key)) return { to: typed, language, said: 'key' }
  const asked = { merchantId, page, to: typed, language, key }
  return { to: typed, language, said: await inTransaction(deps.db, (tx) => mailPage(tx, session, asked, visit.now)) }
}

/**
 * The form with which a member mails a page to its payer; false for a member who may not.
 * @param path to which the form is sent
 */
export const mailPanel = (
  { visit, role, language }: Scope,
  { to, language: chosen, said }: Mailing,
  path = visit.path,
): Markup | false => {
  if (!mayRole(role, 'mail-payers')) return false
  const words = MAILING_WORDS[language]
  const isWrong = said === 'unusable'
  const result =
    said &&
    html`<div role="${said === 'queued' ? 'status' : 'alert'}" id="${TO}-said">${note(
      said === 'queued' ? 'good' : 'bad',
      said === 'queued' ? ICONS.check : ICONS.alert,
      words.said[said],
    )}</div>`
  return html`<section class="panel" id="mail"><h2>${words.title}</h2>${result}<form method="post" action="${linkTo(visit, path)}" novalidate>${hidden('mail-key', randomUUID())}<p class="soft" id="${TO}-hint">${words.text}</p>
<div class="field"><label class="name" for="${TO}">${words.to}</label><input type="email" id="${TO}" name="${TO}" value="${to}" maxlength="254" autocomplete="off" required aria-invalid="${String(isWrong)}" aria-describedby="${isWrong && `${TO}-said `}${TO}-hint"></div>
<div class="field"><label class="name" for="${LANGUAGE}">${words.language}</label><select id="${LANGUAGE}" name="${LANGUAGE}">${LANGUAGES.map(
    (one) =>
      html`<option value="${one}"${one === chosen && html` selected`}>${INVOICING_WORDS[language].languages[one]}</option>`,
  )}</select></div>
<div class="pager"><button>${words.send}</button></div></form></section>`
}
