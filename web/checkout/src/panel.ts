import { amountText } from './amounts.ts'
import type { Markup } from './html.ts'
import type { Amount, Language, PageState, PageView } from './view.ts'
import { WORDS, type Words } from './words/index.ts'

/** The input from which a state's part of the page is rendered. */
export interface Scene<State = PageState> {
  view: PageView
  state: State
  language: Language
  words: Words
  /** formats an amount in the page's language */
  amount(amount: Amount): string
  /** the URL that forms are posted to, which keeps the language */
  action: string
}

/** The rendered part of the page for a state. */
export interface Panel {
  title: string
  /** the step of three to which it belongs; undefined when there is none */
  step: 0 | 1 | 2 | undefined
  tone: 'good' | 'bad' | 'warn' | 'wait' | 'plain'
  icon: Markup | undefined
  body: Markup
  /** whether it changes without the payer's action: it is then updated live, or reloaded where no scripts run */
  changes: boolean
  /** the host that its form posts to, when it is not ours */
  formTo?: string | undefined
  /** the nearest deadline in ms, to which the page counts down, and how the page names it */
  until?: { at: number; label: string } | undefined
  /** whether the payer may need the merchant's help */
  needsHelp?: boolean
  /** the interval in s at which the page reloads where no scripts run; undefined for the usual one */
  reloadsAfterS?: number
}

export const sceneOf = (view: PageView, language: Language): Scene => ({
  view,
  state: view.state,
  language,
  words: WORDS[language],
  amount: (amount) => amountText(amount, language),
  action: addressOf(view, language),
})

/** Returns the page's own URL in a language. */
export const addressOf = ({ path, keep }: Pick<PageView, 'path' | 'keep'>, language: Language): string =>
  `${path}?${new URLSearchParams({ ...keep, lang: language }).toString()}`
