import type { RpcAnswer } from '../rpc-answer.ts'
import { ChainUnavailable } from '../port.ts'
import { Malformed } from '../shape.ts'

/**
 * How the real thing stands to what Bursar expects of it. `new`: a word or a shape that is not known; `wrong`: the
 * operator has to change something; `unknown`: no answer.
 */
export interface Comparison {
  /** what was compared, begins with the rows of docs/dialects.md that it is about */
  row: string
  standing: 'agrees' | 'new' | 'wrong' | 'unknown'
  /** one sentence without a full stop */
  text: string
}

export interface Question {
  row: string
  /** Throws `ChainUnavailable` where no answer can be had. */
  compare(): Promise<Omit<Comparison, 'row'>>
}

export const agrees = (text: string): Omit<Comparison, 'row'> => ({ standing: 'agrees', text })
export const isNew = (text: string): Omit<Comparison, 'row'> => ({ standing: 'new', text })
export const isWrong = (text: string): Omit<Comparison, 'row'> => ({ standing: 'wrong', text })
export const unknown = (text: string): Omit<Comparison, 'row'> => ({ standing: 'unknown', text })

/** Each costs a time limit. */
const MOST_SILENCES = 2

/**
 * One after the other, until the node is silent: when it does not answer the first question, or two in a row, the
 * others are not asked. Throws nothing: an answer that can't be read is new.
 */
export const compareAll = async (questions: readonly Question[]): Promise<Comparison[]> => {
  const comparisons: Comparison[] = []
  let silences = 0
  for (const { row, compare } of questions) {
    let isSilent = false
    const one = await compare().catch((error: unknown) => {
      if (error instanceof Malformed || error instanceof RangeError) return isNew(error.message)
      if (!(error instanceof ChainUnavailable)) throw error
      isSilent = true
      return unknown(error.message)
    })
    comparisons.push({ row, ...one })
    silences = isSilent ? silences + 1 : 0
    if (isSilent && (comparisons.length === 1 || silences === MOST_SILENCES)) {
      const rest = questions.length - comparisons.length
      return rest === 0
        ? comparisons
        : [...comparisons, { row: 'the rest', ...unknown(`${rest} questions are not asked`) }]
    }
  }
  return comparisons
}

/** An answer as an operator reads it, cut: nodes may say much. */
export const described = (answer: RpcAnswer): string =>
  answer.ok
    ? `answers ${JSON.stringify(answer.result).slice(0, 80)}`
    : `refuses: ${answer.message.slice(0, 160)} (${answer.code})`

/** Words that are seen, held against those that are known. */
export const compareWords = (
  what: string,
  seen: Iterable<string>,
  known: ReadonlySet<string>,
): Omit<Comparison, 'row'> => {
  const all = [...new Set(seen)].toSorted()
  const strange = all.filter((word) => !known.has(word))
  if (strange.length > 0) return isNew(`${what} that Bursar does not know: ${strange.join(', ')}`)
  return all.length === 0 ? unknown(`no ${what} in what was read`) : agrees(`${all.length} ${what}, all known`)
}
