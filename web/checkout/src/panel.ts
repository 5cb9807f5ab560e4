import { amountText } from './amounts.ts'
import type { Markup } from './html.ts'
import type { Amount, Language, PageState, PageView } from './view.ts'
import { WORDS, type Words } from './words/index.ts'

/** What a state's part of the page is made from. */
export interface Scene<State = PageState> {
  view: PageView
  state: State
  language: Language
  words: Words
  /** an amount as it is written in the language */
  amount(amount: Amount): string
  /** where forms are posted, with the language kept */
  action: string
}

/** A state's part of the page. */
export interface Panel {
  title: string
  /** which of the three steps it belongs to; undefined where there is none */
  step: 0 | 1 | 2 | undefined
  tone: 'good' | 'bad' | 'warn' | 'wait' | 'plain'
  icon: Markup | undefined
  body: Markup
  /** whether it changes without the payer's doing: shown live, or asked for again without scripts */
  changes: boolean
  /** the host that its form goes to, when it isn't ours */
  formTo?: string | undefined
  /** ms until something ends that the page counts down to */
  until?: number | undefined
}

export const sceneOf = (view: PageView, language: Language): Scene => ({
  view,
  state: view.state,
  language,
  words: WORDS[language],
  amount: (amount) => amountText(amount, language),
  action: addressOf(view, language),
})

/** The page's own address in a language. */
export const addressOf = ({ path, keep }: Pick<PageView, 'path' | 'keep'>, language: Language): string =>
  `${path}?${new URLSearchParams({ ...keep, lang: language }).toString()}`
