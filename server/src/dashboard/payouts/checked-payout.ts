/** The page of a checked payout: its present amounts and fee, and the forms that request or change it. */
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { approvalsFor } from '../../pay-out/requests/index.ts'
import { hidden, linkTo } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { merchantPage, type Scope } from '../frame/index.ts'
import type { PayoutPagesDeps } from './deps.ts'
import { FEES } from './fees.ts'
import { amountOf, saidPiece, textsOf, type Said } from './pieces.ts'

/** Amounts are ledger units. */
interface Checked {
  ticker: string
  units: bigint
  fee: bigint
  /** between the amount and the fee */
  receiver: readonly (readonly [string, Piece])[]
  /** behind the total */
  reference: Piece | undefined
  warning: string | undefined
  feeText: string
  /** the value of the field of the shown fees */
  shownFees: string
  /** the values of the field `do`: to ask for the payout, and to change it */
  verbs: { ask: string; edit: string }
  /** what was typed, by field */
  typed: Readonly<Record<string, string>>
}

/** Shows the payout as it would be made now, with its fee. Nothing is stored yet. */
export const checkedPayoutPage = async (
  { db, rules, runtime }: PayoutPagesDeps,
  scope: Scope,
  { ticker, units, fee, receiver, reference, warning, feeText, shownFees, verbs, typed }: Checked,
  said?: Said,
): Promise<PageAnswer> => {
  const texts = textsOf(scope)
  const { visit, merchantId } = scope
  const amount = (value: bigint): Markup => amountOf(scope, rules.catalogue, ticker, value)
  const needed = await approvalsFor(db, merchantId, { lines: [{ ticker, units }], refunded: null }, visit.now.real)
  const again = Object.entries(typed).map(([name, value]) => hidden(name, value))
  const action = linkTo(visit, visit.path)
  return merchantPage(scope, {
    title: texts.checkTitle,
    part: 'payouts',
    status: said ? 400 : 200,
    sections: [
      saidPiece(said),
      html`<form method="post" class="panel" action="${action}"><p>${texts.checkText}</p>${facts([
        [texts.amount, html`<strong>${amount(units)}</strong>`],
        ...receiver,
        [texts.fee, fee === 0n ? texts.free : amount(fee)],
        [texts.total, amount(units + fee)],
        reference === undefined ? undefined : [texts.meta, reference],
      ])}${warning !== undefined && note('warn', ICONS.alert, warning)}<p class="soft">${feeText}</p><p>${
        needed === 0 ? texts.payAloneText : texts.approvalsNeeded(needed)
      }</p>${hidden('do', verbs.ask)}${hidden('form-key', runtime.newId())}${hidden(FEES, shownFees)}${again}
<div class="pager"><button>${texts.ask}</button></div></form><form method="post" action="${action}">${hidden('do', verbs.edit)}${again}<div class="pager"><button class="second">${texts.edit}</button></div></form>`,
    ],
  })
}
