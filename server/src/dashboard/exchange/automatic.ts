import { html, type Markup } from '@bursar/checkout/html'
import { tradedAssets } from '../../exchange/exchanges/index.ts'
import { defaultTargetOf, lockSettings, setSetting } from '../../merchants/accounts/index.ts'
import { actorOf, authoriseSession, mayRole, recordOf, type Now, type Session } from '../../people/access/index.ts'
import { hidden, linkTo } from '../../people/pages/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Scope } from '../frame/index.ts'
import type { ExchangePagesDeps } from './deps.ts'
import { EXCHANGE_WORDS } from './words/index.ts'

/** Fields of the form: the chosen asset, and the one that the form has shown; empty: none. */
export const AUTOMATIC = { target: 'exchange-automatic', shown: 'exchange-automatic-shown' } as const

/** An asset that members can choose for the automatic exchange is one that is traded; empty: none. */
const isTarget = (deps: ExchangePagesDeps, ticker: string): boolean =>
  ticker === '' || tradedAssets(deps.trading.policy).includes(ticker)

export interface AutomaticChange {
  merchantId: string
  /** the asset to which payments are exchanged; empty: none */
  target: string
  /** the asset that the form has shown; empty: none */
  shown: string
}

/**
 * Changes the asset to which payments without an asset of their own are exchanged. Payments that were credited before
 * keep the rule of their time. Throws NotAllowed or ProofNeeded.
 * @returns changed: another person has changed it after the form was shown, and nothing was changed; wrong: it is no
 * asset that is traded
 */
export const changeAutomatic = async (
  tx: Tx,
  deps: ExchangePagesDeps,
  session: Session,
  { merchantId, target, shown }: AutomaticChange,
  now: Now,
): Promise<'saved' | 'changed' | 'wrong'> => {
  await authoriseSession(tx, session, { merchantId, action: 'exchange', needsProof: true })
  const before = (await lockSettings(tx, merchantId)).defaultTarget ?? ''
  if (before === target) return 'saved'
  if (before !== shown) return 'changed'
  if (!isTarget(deps, target)) return 'wrong'
  const value = target === '' ? 'none' : target
  await setSetting(tx, merchantId, { name: 'defaultTarget', value }, { actor: actorOf(session.person.id) }, now.moment)
  // `name` is what the audit page shows.
  const detail = { name: value, from: before === '' ? 'none' : before }
  await recordOf(tx, session, { merchantId, action: 'changed automatic exchange', detail }, now)
  return 'saved'
}

/** The rule, with its form for members who may change it. @param typed the chosen asset, if one was typed */
export const automaticPanel = async (
  deps: ExchangePagesDeps,
  scope: Scope,
  typed: string | undefined,
): Promise<Markup> => {
  const { visit, merchantId, role, language } = scope
  const texts = EXCHANGE_WORDS[language]
  const target = await defaultTargetOf(deps.db, merchantId)
  return html`<section class="panel"><h2>${texts.automatic}</h2><p>${target === null ? texts.automaticOff : texts.automaticOn(target)}</p><p class="soft">${texts.automaticText}</p>${
    mayRole(role, 'exchange') &&
    html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'automatic')}${hidden(AUTOMATIC.shown, target ?? '')}<div class="find">${choice(deps, scope, typed ?? target ?? '')}<button class="second">${texts.automaticSave}</button></div></form>`
  }</section>`
}

const choice = (deps: ExchangePagesDeps, { language }: Scope, chosen: string): Markup => {
  const texts = EXCHANGE_WORDS[language]
  const tickers = ['', ...new Set([...tradedAssets(deps.trading.policy), ...(chosen === '' ? [] : [chosen])])]
  return html`<div class="field"><label class="name" for="${AUTOMATIC.target}">${texts.automaticTarget}</label><select id="${AUTOMATIC.target}" name="${AUTOMATIC.target}">${tickers.map(
    (ticker) =>
      html`<option value="${ticker}"${ticker === chosen && html` selected`}>${ticker === '' ? texts.automaticNone : ticker}</option>`,
  )}</select></div>`
}
