import type { RpcAnswer } from '../rpc-answer.ts'
import { ChainUnavailable } from '../port.ts'
import { Malformed } from '../shape.ts'

/**
 * Result of comparing a real counterparty with Bursar's expectations. `new`: an unknown word or form; `wrong`: the
 * operator has to change something; `unknown`: no answer.
 */
export interface Comparison {
  /** subject of the comparison; begins with the rows of docs/dialects.md that it concerns */
  row: string
  result: 'agrees' | 'new' | 'wrong' | 'unknown'
  /** one sentence without a full stop */
  text: string
}

export interface Question {
  row: string
  /** Throws `ChainUnavailable` when there is no answer. */
  compare(): Promise<Omit<Comparison, 'row'>>
}

export const agrees = (text: string): Omit<Comparison, 'row'> => ({ result: 'agrees', text })
export const isNew = (text: string): Omit<Comparison, 'row'> => ({ result: 'new', text })
export const isWrong = (text: string): Omit<Comparison, 'row'> => ({ result: 'wrong', text })
export const unknown = (text: string): Omit<Comparison, 'row'> => ({ result: 'unknown', text })

/** Timeouts after which the comparison stops. */
const MOST_SILENCES = 2

/**
 * Runs comparisons one after the other. It stops when the node does not answer the first one, or two in a row. Throws
 * nothing: an unreadable answer is reported as new.
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

/** Formats an answer for operators, truncated. */
export const described = (answer: RpcAnswer): string =>
  answer.ok
    ? `answers ${JSON.stringify(answer.result).slice(0, 80)}`
    : `refuses: ${answer.message.slice(0, 160)} (${answer.code})`

/** Compares observed words with known ones. */
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
