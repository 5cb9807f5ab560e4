import { foreign, html, type Markup } from '@bursar/checkout/html'
import { showNetwork, showTime } from '../../merchants/documents/index.ts'
import {
  addAddress,
  listAddresses,
  PayoutProblem,
  readPolicy,
  removeAddress,
  type BookAddress,
} from '../../pay-out/requests/index.ts'
import { mayRole, ProofNeeded } from '../../people/access/index.ts'
import { choice, hidden, input, draftOf, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { NEW, type PayoutPagesDeps } from './deps.ts'
import { addressPiece, backPiece, doneIn, provingPiece, type Said, saidPiece, textsOf } from './pieces.ts'

interface Typed {
  name: string
  network: string
  address: string
}

/** The typed text, by the names of the form's fields. */
const draftFrom = ({ name, network, address }: Typed): Readonly<Record<string, string>> =>
  name === '' && address === '' ? {} : { 'address-name': name, network, address }

/** The addresses that a merchant pays often. */
export const bookPage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, request } = scope
    const draft = draftOf(deps, visit.session, request)
    const typed = {
      name: draft['address-name'] ?? '',
      network: draft['network'] ?? '',
      address: draft['address'] ?? '',
    }
    return show(deps, scope, typed, doneIn(scope))
  }

/** Adds an address, or removes one. */
export const changeBook =
  (deps: PayoutPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const texts = textsOf(scope)
    const typed = { name: fields('address-name'), network: fields('network'), address: fields('address').trim() }
    const id = fields('id')
    try {
      await inTransaction(deps.db, (tx) =>
        fields('do') === 'remove' && isUuid(id)
          ? removeAddress(tx, session, { merchantId, id }, visit.now)
          : addAddress(
              tx,
              session,
              { merchantId, name: typed.name, blockchain: typed.network, address: typed.address },
              deps.rules,
              visit.now,
            ),
      )
    } catch (error) {
      if (error instanceof ProofNeeded)
        return show(deps, scope, typed, { isProblem: true, text: texts.proveFirst }, 403)
      if (!(error instanceof PayoutProblem)) throw error
      return show(deps, scope, typed, { isProblem: true, text: texts.troubles[error.trouble] }, 400)
    }
    return redirect(linkTo(visit, visit.path, { done: '1' }))
  }

const show = async (
  deps: PayoutPagesDeps,
  scope: Scope,
  typed: Typed,
  said: Said | undefined,
  status = 200,
): Promise<PageAnswer> => {
  const { visit, merchantId, role } = scope
  const texts = textsOf(scope)
  const mayManage = mayRole(role, 'manage-payout-addresses')
  const proving = mayManage ? await provingPiece(deps, visit, visit.path, draftFrom(typed)) : undefined
  const addresses = await listAddresses(deps.db, merchantId)
  return merchantPage(scope, {
    title: texts.book,
    part: 'payouts',
    status,
    isProving: proving !== undefined,
    actions: backPiece(scope),
    sections: [
      saidPiece(said),
      proving,
      html`<section class="panel"><p>${texts.bookText}</p>${
        addresses.length === 0
          ? html`<p>${texts.noAddresses}</p>`
          : html`<ul class="rows">${addresses.map((one) => line(scope, one))}</ul>`
      }</section>`,
      mayManage && (await addForm(deps, scope, typed)),
    ],
  })
}

const line = (scope: Scope, { id, name, blockchain, address, usableAt }: BookAddress) => {
  const { visit, merchantId, role } = scope
  const texts = textsOf(scope)
  const isUsable = usableAt <= visit.now.real
  return html`<li><div><strong>${foreign(name)}</strong><br>${addressPiece(address)}<br><span class="soft">${showNetwork(blockchain)}, ${
    isUsable ? texts.usable : texts.usableFrom(showTime(usableAt.getTime()))
  }</span></div><div class="pager">${
    mayRole(role, 'request-payouts') &&
    html`<a class="button second" aria-label="${texts.payTo(name)}" href="${linkTo(visit, merchantPath(merchantId, NEW), { address: id })}">${texts.pay}</a>`
  }${
    mayRole(role, 'manage-payout-addresses') &&
    html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'remove')}${hidden('id', id)}<button class="second" aria-label="${texts.removeOf(name)}">${texts.remove}</button></form>`
  }</div></li>`
}

const addForm = async ({ db, rules }: PayoutPagesDeps, scope: Scope, typed: Typed): Promise<Markup> => {
  const { visit, merchantId } = scope
  const texts = textsOf(scope)
  const { rules: policy } = await readPolicy(db, merchantId, visit.now.real)
  const networks = [...rules.catalogue.networks].map((network) => [network, showNetwork(network)] as const)
  return html`<section class="panel"><h2>${texts.addTitle}</h2><form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'add')}<p>${texts.addText(policy.coolingHours)}</p>
${input({ name: 'address-name', label: texts.name, value: typed.name, autocomplete: 'off' })}
${choice({ id: 'network', name: 'network', label: texts.network }, networks, typed.network)}
${input({ name: 'address', label: texts.address, value: typed.address, autocomplete: 'off' })}
<button>${texts.add}</button></form></section>`
}
