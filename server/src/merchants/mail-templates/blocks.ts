import { showText } from '../documents/index.ts'

/** What a letter is made of, before it becomes text or HTML. Every text is plain: nothing in it is markup. */
export type Block =
  | { kind: 'paragraph'; text: string }
  /** values by their names; `code` is shown in one width and may be broken anywhere */
  | { kind: 'facts'; facts: readonly Fact[] }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'rows'; rows: readonly Row[] }
  | { kind: 'note'; text: string }

export interface Fact {
  name: string
  value: string
  code?: boolean
}

export interface Row {
  title: string
  amount: string
  detail: string
  good: boolean
}

export interface LetterParts {
  subject: string
  /** who it is from, for the reader */
  sender: string
  title: string
  /** of the mark beside the title */
  tone: 'good' | 'warning' | 'neutral'
  /** shown large */
  amount: string | null
  blocks: readonly Block[]
  footer: string
}

/** Facts without those that have no value; each in one line. */
export const facts = (...all: readonly (Fact | false)[]): Block => ({
  kind: 'facts',
  facts: all.filter((fact) => fact !== false).map((fact) => ({ ...fact, value: showText(fact.value) })),
})
