/** One step of a guided payout. */
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { hidden, linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { merchantPage, type Scope } from '../frame/index.ts'
import { NEW } from './deps.ts'
import { saidPiece, textsOf } from './pieces.ts'
import { GUIDE_WORDS } from './words/guide.ts'

const STEPS = 3

interface Step {
  n: number
  title: string
  /** the problem of the whole step */
  problem: string | undefined
  isFailed: boolean
  chosen?: Piece
  content: Piece
  buttons: Piece
  /** fields of the other steps */
  carried: Readonly<Record<string, string>>
}

export const stepPage = (
  scope: Scope,
  { n, title, problem, isFailed, chosen, content, buttons, carried }: Step,
): PageAnswer => {
  const { visit, merchantId } = scope
  const words = GUIDE_WORDS[scope.language]
  const texts = textsOf(scope)
  const fields = Object.entries(carried).map(([name, value]) => hidden(name, value))
  return merchantPage(scope, {
    title: texts.newPayout,
    part: 'payouts',
    status: isFailed ? 400 : 200,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, NEW))}">${words.oneForm}</a>`,
    sections: [
      problem !== undefined && saidPiece({ isProblem: true, text: problem }),
      html`<form method="post" class="panel" action="${linkTo(visit, visit.path)}" novalidate><p class="soft">${words.step(n, STEPS)}</p><h2>${title}</h2>${chosen}${fields}${content}<div class="pager">${buttons}</div></form>`,
    ],
  })
}

export const button = (does: string, text: string, look?: 'second'): Markup =>
  html`<button name="do" value="${does}"${look && html` class="${look}"`}>${text}</button>`

export const radio = (name: string, value: string, isChosen: boolean, label: Piece): Markup =>
  html`<label class="check"><input type="radio" name="${name}" value="${value}"${isChosen && html` checked`}><span>${label}</span></label>`
