import { createHash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ALGORITHMS, writePasskeyKey } from '../webauthn/credential-key.ts'
import { SCRIPT, STYLE } from './page-assets.ts'
import { wordsOf } from './page-words.ts'
import type { Language, PageFault, Words } from './page-words.ts'
import type { Offer } from './approvals.ts'
import { html, Markup } from './html.ts'
import { groupsOf } from './shown.ts'

const NOTHING = new Markup('')

interface PageParts {
  language: Language
  title: string
  fault?: PageFault | undefined
  head?: Markup
  main: Markup
}

function pageOf({ language, title, fault, head = NOTHING, main }: PageParts): string {
  const words = wordsOf(language)
  const problem = fault === undefined ? NOTHING : html`<p class="bad" role="alert">${words.refused[fault]}</p>`
  return html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><meta name="robots" content="noindex"><style>${new Markup(STYLE)}</style></head>
<body><header><h1>${title}</h1>${head}</header><main>${problem}<p id="said" class="bad" role="status"></p>${main}</main><script>${new Markup(SCRIPT)}</script></body></html>`
    .text
}

export interface PasskeyPage {
  language: Language
  rpId: string
  challenge: Buffer
  fault?: PageFault | undefined
}

const ANSWER = ['credentialId', 'authenticatorData', 'clientDataJSON', 'signature']

/** The page for people who are not signed in. @param token of the challenge, which comes back with the answer */
export function signInPage({ language, rpId, challenge, fault, token }: PasskeyPage & { token: string }): string {
  const words = wordsOf(language)
  const use = { rpId, credentials: [] }
  const fields = hidden({ token }, ANSWER)
  const main = html`<section><p>${words.signInText}</p><noscript><p>${words.noScript}</p></noscript>
${passkeyForm('/sign-in', words, { challenge, use }, html`${fields}<button>${words.signIn}</button>`)}</section>`
  return pageOf({ language, title: words.title, fault, main })
}

export interface ListPage {
  language: Language
  approver: string
  rpId: string
  /** ids of the passkeys of the approver */
  credentials: readonly string[]
  offers: readonly Offer[]
  fault?: PageFault | undefined
  isDone?: boolean
}

/** The page of the payments that wait. Each has one button, whose challenge is of this payment only. */
export function listPage({ language, approver, rpId, credentials, offers, fault, isDone }: ListPage): string {
  const words = wordsOf(language)
  const head = html`<form method="post" action="/sign-out"><span class="soft">${words.signedInAs} ${approver}</span> <button class="quiet">${words.signOut}</button></form>`
  const done = isDone === true && fault === undefined ? html`<p role="status">${words.done}</p>` : NOTHING
  const payments = offers.map((offer) => paymentOf(words, approver, { rpId, credentials }, offer))
  const list =
    payments.length === 0
      ? html`<section><p>${words.none}</p></section>`
      : html`<p>${words.compare}</p><noscript><p>${words.noScript}</p></noscript>${payments}`
  return pageOf({ language, title: words.title, fault, head, main: html`${done}<h2>${words.waiting}</h2>${list}` })
}

function paymentOf(
  words: Words,
  approver: string,
  use: object,
  { payment, expiresAt, nonce, challenge }: Offer,
): Markup {
  const { network, intent, amount, approvedBy, needed, since } = payment
  const fields = hidden({ network, intent: intent.id, expires: String(expiresAt), nonce }, ANSWER)
  const isYours = approvedBy.includes(approver)
  const people = approvedBy.length === 0 ? '' : `: ${approvedBy.join(', ')}`
  const end = isYours
    ? html`<p>${words.alreadyYours}</p>`
    : passkeyForm('/approve', words, { challenge, use }, html`${fields}<button>${words.approve}</button>`)
  return html`<section><h3>${amount}</h3><dl>
<div><dt>${words.network}</dt><dd>${network}</dd></div>
<div><dt>${words.to}</dt><dd class="address">${grouped(groupsOf(intent.to))}</dd></div>
<div><dt>${words.approvals}</dt><dd>${words.of(approvedBy.length, needed)}${people}</dd></div>
<div><dt>${words.since}</dt><dd>${timeOf(since)}</dd></div>
<div><dt>${words.until}</dt><dd>${timeOf(expiresAt)}</dd></div>
<div><dt>${words.intent}</dt><dd>${intent.id}</dd></div></dl>${end}</section>`
}

/** The page on which a person makes a passkey. @param user the person's handle at the authenticator, base64url */
export function enrolPage({
  language,
  rpId,
  challenge,
  fault,
  id,
  user,
  code,
}: PasskeyPage & { id: string; user: string; code: string }): string {
  const words = wordsOf(language)
  const make = { rpId, rpName: words.title, user, name: id, algorithms: Object.values(ALGORITHMS) }
  const fields = hidden({ code }, ['attestationObject', 'clientDataJSON'])
  const main = html`<section><p>${words.enrolText(id)}</p><noscript><p>${words.noScript}</p></noscript>
${passkeyForm('/enrol', words, { challenge, make }, html`${fields}<button>${words.enrolButton}</button>`)}</section>`
  return pageOf({ language, title: words.enrol, fault, main })
}

export function enrolledPage(language: Language, key: KeyObject): string {
  const words = wordsOf(language)
  const main = html`<section><p role="status">${words.enrolled}</p><p>${words.fingerprint}:</p><p class="print">${grouped(groupsOf(fingerprintOf(writePasskeyKey(key))))}</p></section>`
  return pageOf({ language, title: words.enrol, main })
}

/** A page that only names the fault. */
export function faultPage(language: Language, fault: PageFault): string {
  const words = wordsOf(language)
  const main = html`<section><p class="bad" role="alert">${words.refused[fault]}</p></section>`
  return pageOf({ language, title: words.title, main })
}

/**
 * The fingerprint by which a person and an administrator compare a new key.
 * @param publicKey as the policy writes it
 * @returns 20 characters
 */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex').slice(0, 20)
}

function passkeyForm(
  action: string,
  { notMade }: Words,
  { challenge, use, make }: { challenge: Buffer; use?: object; make?: object },
  content: Markup,
): Markup {
  const given = use ? html`data-use="${JSON.stringify(use)}"` : html`data-make="${JSON.stringify(make)}"`
  return html`<form method="post" action="${action}" data-challenge="${challenge.toString('base64url')}" ${given} data-failed="${notMade}">${content}</form>`
}

function hidden(values: Record<string, string>, empty: readonly string[]): readonly Markup[] {
  const all = { ...values, ...Object.fromEntries(empty.map((name) => [name, ''])) }
  return Object.entries(all).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

function grouped(groups: readonly string[]): readonly Markup[] {
  return groups.map((group) => html`<span>${group}</span> `)
}

/** @param at ms since the epoch */
function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
