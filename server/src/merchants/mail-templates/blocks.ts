import { showText } from '../documents/index.ts'

/** The parts of a letter before it is rendered as text or HTML. All texts are plain text without markup. */
export type Block =
  | { kind: 'paragraph'; text: string }
  /** named values; a value with `code` is shown in a monospaced font and may be broken anywhere */
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
  /** name of the sender, for the reader */
  sender: string
  title: string
  /** style of the mark beside the title */
  tone: 'good' | 'warning' | 'neutral'
  /** shown large */
  amount: string | null
  blocks: readonly Block[]
  footer: string
}

/** Builds a block of facts, without those that are false. Each value is shown in one line. */
export const facts = (...all: readonly (Fact | false)[]): Block => ({
  kind: 'facts',
  facts: all.filter((fact) => fact !== false).map((fact) => ({ ...fact, value: showText(fact.value) })),
})
