import { inField, pointed } from '@bursar/checkout/amounts'
import { html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { showTime } from '../../merchants/documents/index.ts'
import {
  changePolicy,
  hoursBetween,
  PayoutProblem,
  readPolicy,
  ruleOf,
  spanOf,
  type AssetRule,
  type PayoutRules,
} from '../../pay-out/requests/index.ts'
import type { Catalogue, CryptoAsset, FiatAsset } from '../../market/assets/index.ts'
import { mayRole, ProofNeeded } from '../../people/access/index.ts'
import { choice, hidden, draftIn, draftOf, linkTo, redirect, type Fields } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { type PayoutPagesDeps } from './deps.ts'
import { backPiece, doneIn, provingPiece, type Said, saidPiece, textsOf } from './pieces.ts'

/** The rules of a merchant for payouts: shown to every member who sees payouts, changed by owners. */
export const policyPage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const draft = draftOf(deps, scope.visit.session, scope.request)
    return show(deps, scope, Object.keys(draft).length === 0 ? undefined : draft, doneIn(scope))
  }

/** Changes the policy. */
export const submitPolicy =
  (deps: PayoutPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const texts = textsOf(scope)
    const failed = (trouble: PayoutProblem['trouble']): Promise<PageAnswer> =>
      show(
        deps,
        scope,
        trouble === 'changed' ? withoutVersion(draftIn(fields)) : draftIn(fields),
        { isProblem: true, text: texts.troubles[trouble] },
        400,
      )
    const rules = rulesIn(deps, fields)
    if (!rules) return failed('rules')
    try {
      const version = WHOLE.test(fields('version')) ? Number(fields('version')) : -1
      await inTransaction(deps.db, (tx) => changePolicy(tx, session, { merchantId, rules, version }, visit.now))
    } catch (error) {
      if (error instanceof ProofNeeded)
        return show(deps, scope, draftIn(fields), { isProblem: true, text: texts.proveFirst }, 403)
      if (!(error instanceof PayoutProblem)) throw error
      return failed(error.trouble)
    }
    return redirect(linkTo(visit, visit.path, { done: '1' }))
  }

/** The typed rules, for the version that is stored now: the page says that it has changed. */
const withoutVersion = ({ version: _, ...typed }: Typed): Typed => typed

/** Assets of payouts on chains, and the currencies of refunds to cards. */
const ruledAssets = ({ crypto, fiat }: Catalogue): readonly (CryptoAsset | FiatAsset)[] => [...crypto, ...fiat]

/** The fields of the form, without those that are empty. */
type Typed = Readonly<Record<string, string>>

const WHOLE = /^\d{1,6}$/

/** The rules that a form states; undefined if a number is none. */
const rulesIn = ({ rules: { catalogue } }: PayoutPagesDeps, fields: Fields): PayoutRules | undefined => {
  const assets = new Map<string, AssetRule>()
  for (const { ticker, scale } of ruledAssets(catalogue)) {
    const units = (name: string): bigint | null | undefined => unitsIn(fields(`${name}-${ticker}`), scale)
    const [alone, mostHour, mostDay, api] = [units('alone'), units('hour'), units('day'), units('api')]
    const approvals = fields(`approvals-${ticker}`)
    const amounts = [alone, mostHour, mostDay, api]
    if (amounts.includes(undefined) || !WHOLE.test(approvals)) return undefined
    assets.set(ticker, {
      alone: alone ?? 0n,
      approvals: Number(approvals),
      mostHour: mostHour ?? null,
      mostDay: mostDay ?? null,
      api: api ?? 0n,
    })
  }
  const numbers = ['from-hour', 'to-hour', 'cooling'].map((name) => fields(name))
  if (numbers.some((text) => !WHOLE.test(text))) return undefined
  const [from = 0, to = 0, coolingHours = 0] = numbers.map(Number)
  if (from > 23 || to > 23 || !['free', 'limited'].includes(fields('api'))) return undefined
  return {
    assets,
    onlyBook: fields('addresses') === 'book',
    hours: hoursBetween(from, to),
    coolingHours,
    isApiLimited: fields('api') === 'limited',
  }
}

/** Null: the field is empty. Undefined: it is no amount. */
const unitsIn = (typed: string, scale: number): bigint | null | undefined => {
  if (typed.trim() === '') return null
  const text = pointed(typed.trim())
  if (text === undefined) return undefined
  const parsed = parseUnits(text, scale)
  return parsed.ok ? parsed.units : undefined
}

const show = async (
  deps: PayoutPagesDeps,
  scope: Scope,
  typed: Typed | undefined,
  said: Said | undefined,
  status = 200,
): Promise<PageAnswer> => {
  const { visit, merchantId, role } = scope
  const texts = textsOf(scope)
  const mayChange = mayRole(role, 'manage-payout-policy')
  const proving = mayChange ? await provingPiece(deps, visit, visit.path, typed) : undefined
  const policy = await readPolicy(deps.db, merchantId, visit.now.real)
  const field = fieldsOf(policy.next?.rules ?? policy.rules, typed)
  return merchantPage(scope, {
    title: texts.policy,
    part: 'payouts',
    status,
    isProving: proving !== undefined,
    actions: backPiece(scope),
    sections: [
      saidPiece(said),
      policy.next &&
        html`<div role="status">${note('warn', ICONS.alert, texts.next(showTime(policy.next.inForceAt.getTime())))}</div>`,
      proving,
      html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('version', typed?.['version'] ?? String(policy.version))}<section class="panel"><p>${mayChange ? texts.policyText : texts.readOnly}</p><p class="soft">${texts.aloneHint} ${texts.emptyHint}</p></section>
${ruledAssets(deps.rules.catalogue).map((asset) => assetPanel(scope, asset, field))}${generalPanel(scope, field)}${mayChange && html`<div class="ask"><p class="soft">${texts.saveText}</p><button>${texts.save}</button></div>`}</form>`,
    ],
  })
}

type ShownFields = (name: string, read: (rules: PayoutRules) => string) => string

/** What the form shows in a field: what was typed, or the rules. */
const fieldsOf =
  (rules: PayoutRules, typed: Typed | undefined): ShownFields =>
  (name, read) =>
    typed === undefined ? read(rules) : (typed[name] ?? '')

const assetPanel = (scope: Scope, { ticker, scale }: CryptoAsset | FiatAsset, field: ShownFields): Markup => {
  const texts = textsOf(scope)
  const amount = (name: string, label: string, read: (rule: AssetRule) => bigint | null): Markup => {
    const units = field(`${name}-${ticker}`, (rules) => {
      const found = read(ruleOf(rules, ticker))
      return found === null ? '' : inField(formatUnits(found, scale))
    })
    return numberField(`${name}-${ticker}`, label, units, 'decimal')
  }
  return html`<section class="panel"><h2>${ticker}</h2><div class="grid">${amount('alone', texts.alone, ({ alone }) => alone)}${numberField(
    `approvals-${ticker}`,
    texts.approvals,
    field(`approvals-${ticker}`, (rules) => String(ruleOf(rules, ticker).approvals)),
    'numeric',
  )}${amount('hour', texts.mostHour, ({ mostHour }) => mostHour)}${amount('day', texts.mostDay, ({ mostDay }) => mostDay)}${amount('api', texts.apiMost, ({ api }) => api)}</div></section>`
}

const generalPanel = (scope: Scope, field: ShownFields): Markup => {
  const texts = textsOf(scope)
  const hour = (name: 'from-hour' | 'to-hour', at: 0 | 1): string =>
    field(name, ({ hours }) => String(spanOf(hours)[at]))
  return html`<section class="panel"><h2>${texts.addresses}</h2><div class="grid">${choice(
    { id: 'addresses', name: 'addresses', label: texts.addresses },
    [
      ['any', texts.anyAddress],
      ['book', texts.onlyBook],
    ],
    field('addresses', ({ onlyBook }) => (onlyBook ? 'book' : 'any')),
  )}${numberField(
    'cooling',
    texts.cooling,
    field('cooling', ({ coolingHours }) => String(coolingHours)),
    'numeric',
  )}</div></section><section class="panel"><h2>${texts.hours}</h2><p class="soft">${texts.hoursHint}</p><div class="grid">${numberField('from-hour', texts.fromHour, hour('from-hour', 0), 'numeric')}${numberField('to-hour', texts.toHour, hour('to-hour', 1), 'numeric')}</div></section><section class="panel"><h2>${texts.api}</h2><p class="soft">${texts.apiHint}</p><div class="grid">${choice(
    { id: 'api', name: 'api', label: texts.api },
    [
      ['free', texts.apiFree],
      ['limited', texts.apiLimited],
    ],
    field('api', ({ isApiLimited }) => (isApiLimited ? 'limited' : 'free')),
  )}</div></section>`
}

const numberField = (name: string, label: string, value: string, mode: 'decimal' | 'numeric'): Markup =>
  html`<div class="field"><label class="name" for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" inputmode="${mode}"></div>`
