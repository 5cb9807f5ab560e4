import { foreign, html, type Markup } from '@bursar/checkout/html'
import { MONEY_SCOPES, SCOPES, type Scope } from '@bursar/contract'
import { showTime } from '../../merchants/documents/index.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  createKey,
  KeyProblem,
  mayRole,
  ProofNeeded,
  readKeys,
  revokeKeyOf,
  type KeyTrouble,
  type ShownKey,
} from '../access/index.ts'
import { choice, hidden, input, pageOf, redirect, section, type PageParts } from './frame.ts'
import { draftIn, draftOf, type Draft } from './drafts.ts'
import { KEY_WORDS } from './words/keys.ts'
import { forMerchant, type MerchantVisit } from './merchant-page.ts'
import { provePanel, saidBy } from './proving.ts'
import { linkTo, merchantPath, type DashboardDeps, type Fields } from './visit.ts'

/** Is the id of no row: commands find nothing by it. */
const NO_ID = '00000000-0000-0000-0000-000000000000'
/** Lives of a key that the form offers, in days; the empty text: no end. */
const LIVES = ['30', '90', '180', '365', ''] as const
const PROPOSED_LIFE = '365'

interface Shown extends Pick<PageParts, 'said' | 'status'> {
  draft: Draft
}

/** The keys of a merchant's API, and the form that makes one. */
export const showKeys = (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> =>
  forMerchant(deps, request, (visit) =>
    keysPage(deps, visit, { said: saidBy(visit, request), draft: draftOf(deps, visit.session, request) }),
  )

/** Makes a key, and shows its secret in this answer only; or revokes a key. */
export const changeKeys = (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> =>
  forMerchant(deps, request, async (visit, given) => {
    const fields = given!
    const failed = (text: string, status: number): Promise<PageAnswer> =>
      keysPage(deps, visit, { said: { isProblem: true, text }, status, draft: draftIn(fields) })
    try {
      if (fields('do') === 'create') return await makeKey(deps, visit, fields)
      if (fields('do') === 'revoke') return await revoke(deps, visit, fields)
      return await failed(visit.words.notDone, 400)
    } catch (error) {
      if (error instanceof ProofNeeded) return failed(visit.words.proveNeeded, 403)
      if (error instanceof KeyProblem) return failed(textOf(visit, error.troubles), 400)
      throw error
    }
  })

const textOf = ({ language }: MerchantVisit, troubles: readonly KeyTrouble[]): string =>
  troubles.map((trouble) => KEY_WORDS[language].troubles[trouble]).join(' ')

const makeKey = async (deps: DashboardDeps, visit: MerchantVisit, fields: Fields): Promise<PageAnswer> => {
  const { session, now, membership } = visit
  const asked = {
    merchantId: membership.merchantId,
    name: fields('key-name'),
    scopes: SCOPES.filter((scope) => fields(`key-${scope}`) !== ''),
    addresses: fields('key-addresses', 'whole'),
    days: lifeOf(fields('key-days')),
  }
  const formId = isUuid(fields('form')) ? fields('form') : NO_ID
  const made = await inTransaction(deps.db, (tx) => createKey(tx, session, asked, formId, deps, now))
  return secretPage(visit, made)
}

/** The days of a choice; another text than a choice gives the shortest life. */
const lifeOf = (typed: string): number | null => {
  if (typed === 'never') return null
  return Number(LIVES.find((life) => life !== '' && life === typed) ?? LIVES[0])
}

const revoke = async (deps: DashboardDeps, visit: MerchantVisit, fields: Fields): Promise<PageAnswer> => {
  const { session, now, membership } = visit
  const { merchantId } = membership
  const id = isUuid(fields('id')) ? fields('id') : NO_ID
  await inTransaction(deps.db, (tx) => revokeKeyOf(tx, session, { merchantId, id }, now))
  return redirect(linkTo(visit, keysPath(merchantId), { done: '1' }))
}

const keysPath = (merchantId: string): string => merchantPath(merchantId, 'keys')
const actionOf = (visit: MerchantVisit): string => linkTo(visit, keysPath(visit.membership.merchantId))

/** Shows the secret of a new key, which the database has only encrypted. */
const secretPage = (visit: MerchantVisit, { id, secret }: { id: string; secret: string }): PageAnswer => {
  const texts = KEY_WORDS[visit.language]
  return pageOf(visit, {
    title: texts.secretTitle,
    merchant: visit.membership,
    part: 'keys',
    sections: [
      html`<section class="panel"><p>${texts.secretText}</p><p>key-id<br><span class="address">${foreign(id)}</span></p>
<p>${texts.secret}<br><span class="address">${foreign(secret)}</span></p><a class="button" href="${actionOf(visit)}">${texts.stored}</a></section>`,
    ],
  })
}

const keysPage = async (deps: DashboardDeps, visit: MerchantVisit, shown: Shown): Promise<PageAnswer> => {
  const { session, now, membership, words, language } = visit
  const { merchantId } = membership
  const texts = KEY_WORDS[language]
  const { keys, main } = await readKeys(deps.db, session.person.id, merchantId, now)
  return pageOf(visit, {
    title: words.keys,
    merchant: membership,
    part: 'keys',
    said: shown.said,
    ...(shown.status !== undefined && { status: shown.status }),
    sections: [
      await provePanel(deps, visit, { next: keysPath(merchantId), draft: shown.draft }),
      createForm(visit, shown.draft, deps.runtime.newId()),
      section(
        texts.additional,
        keys.length === 0
          ? html`<p>${words.noneYet}</p>`
          : html`<ul class="rows">${keys.map((key) => keyLine(visit, key))}</ul>`,
      ),
      section(
        texts.main,
        html`<p>${texts.mainText}</p><ul class="rows">${main.map(
          ({ createdAt, expiresAt }) =>
            html`<li>${texts.made(showTime(createdAt.getTime()))}${expiresAt !== null && html`, ${words.validUntil(showTime(expiresAt.getTime()))}`}</li>`,
        )}</ul>`,
      ),
    ],
  })
}

/** The scopes that a member may give to a key. */
const scopesFor = ({ membership }: MerchantVisit): readonly Scope[] =>
  SCOPES.filter((scope) => !MONEY_SCOPES.includes(scope) || mayRole(membership.role, 'manage-money-keys'))

/** @param formId a form that is sent twice makes one key */
const createForm = (visit: MerchantVisit, draft: Draft, formId: string): Markup => {
  const texts = KEY_WORDS[visit.language]
  const scopes = scopesFor(visit)
  const isNew = !Object.keys(draft).some((name) => name.startsWith('key-'))
  const isChosen = (scope: Scope): boolean => (isNew ? scope === 'read' : draft[`key-${scope}`] !== undefined)
  return section(
    texts.createTitle,
    html`<form method="post" action="${actionOf(visit)}">${hidden('do', 'create')}${hidden('form', formId)}<p>${texts.createText}</p>
${input({ name: 'key-name', label: texts.name, hint: texts.nameHint, value: draft['key-name'] ?? '', autocomplete: 'off' })}
<fieldset><legend class="name">${texts.scopes}</legend>${scopes.map((scope) => scopeBox(visit, scope, isChosen(scope)))}${
      scopes.length < SCOPES.length && html`<p class="soft">${texts.moneyScopes}</p>`
    }</fieldset>
${input({ name: 'key-addresses', label: texts.addresses, hint: texts.addressesHint, value: draft['key-addresses'] ?? '', autocomplete: 'off', isNeeded: false })}
${choice(
  { id: 'key-days', name: 'key-days', label: texts.ends },
  LIVES.map((life) => [life || 'never', life === '' ? texts.never : texts.days(life)]),
  draft['key-days'] ?? PROPOSED_LIFE,
)}
<button>${texts.create}</button></form>`,
  )
}

const scopeBox = ({ language }: MerchantVisit, scope: Scope, isChosen: boolean): Markup =>
  html`<label class="check"><input type="checkbox" name="key-${scope}" value="1"${isChosen && html` checked`}><span><strong>${scope}</strong>: ${KEY_WORDS[language].does[scope]}</span></label>`

const keyLine = (visit: MerchantVisit, key: ShownKey): Markup => {
  const { words, now, language } = visit
  const texts = KEY_WORDS[language]
  const { id, name, scopes, addresses, createdAt, expiresAt, revokedAt, by, lastUsedAt, lastUsedFrom } = key
  const isEnded = expiresAt !== null && expiresAt.getTime() <= now.real.getTime()
  const state = revokedAt
    ? texts.revoked(showTime(revokedAt.getTime()))
    : isEnded
      ? texts.ended(showTime(expiresAt.getTime()))
      : expiresAt
        ? words.validUntil(showTime(expiresAt.getTime()))
        : texts.never
  const used = lastUsedAt ? texts.used(showTime(lastUsedAt.getTime()), lastUsedFrom ?? '') : words.neverUsed
  return html`<li><div><strong>${foreign(name)}</strong><br><span class="address">${foreign(id)}</span><br>${scopes.join(', ')}<br><span class="soft">${state}. ${addresses.length === 0 ? texts.everywhere : texts.from(addresses.join(', '))}. ${texts.madeBy(showTime(createdAt.getTime()), by ?? words.operator)}. ${used}.</span></div>${
    revokedAt === null && !isEnded && revokeForm(visit, id, name)
  }</li>`
}

const revokeForm = (visit: MerchantVisit, id: string, name: string): Markup => {
  const texts = KEY_WORDS[visit.language]
  return html`<details class="change"><summary aria-label="${texts.revokeOf(name)}">${texts.revoke}</summary>
<form method="post" action="${actionOf(visit)}">${hidden('do', 'revoke')}${hidden('id', id)}<p>${texts.revokeText}</p><button class="second" aria-label="${texts.revokeOf(name)}">${texts.revoke}</button></form></details>`
}
