import { isTooFast, pauseInText, TooFast } from './pauses.ts'
import { Malformed, objectOf, wholeOf } from './shape.ts'

/** A result, which may be null, or the node's own refusal with its code. */
export type RpcAnswer = { ok: true; result: unknown } | { ok: false; code: number; message: string }

/** The node refuses a batch as a whole, and may take a smaller one. */
export class BatchRefused extends Error {
  override name = 'BatchRefused'
}

/** Of a batch, only some questions were refused for the rate of questions, as where each counts against a quota. */
export class PartlyTooFast extends TooFast {
  override name = 'PartlyTooFast'
  /** to the first of them, in their order */
  readonly answered: RpcAnswer[]

  constructor({ message, pauseMs }: TooFast, answered: RpcAnswer[]) {
    super(message, pauseMs)
    this.answered = answered
  }
}

/** How nodes speak of too many questions in a time, rather than in a batch. */
const RATE = /\brate|too many requests|overload|quota|capacity|per second|credit/i

/** Whether a node gave up in the middle of a batch, as its answers had grown too long (geth, Nethermind). */
export const isCutOff = (answer: RpcAnswer): boolean =>
  !answer.ok && /response (is )?too (large|big)|maxbatchresponsebodysize/i.test(answer.message)

/**
 * The answers to questions numbered from 0, in that order. One question was asked alone, more as a batch. Nodes answer
 * refusals with several HTTP statuses, so the status only serves to say what came instead of an answer. Throws
 * `TooFast` when one of them is refused for the rate of questions, of a batch `PartlyTooFast`.
 */
export const readAnswers = (value: unknown, count: number, status: number): RpcAnswer[] => {
  const given = Array.isArray(value) ? value : [value]
  if (count > 1 && given.length === 1) refuseBatch(given[0], status)
  const answers = new Map<number, RpcAnswer>()
  let refused: TooFast | undefined
  for (const one of given) {
    try {
      const { id, answer } = readEnvelope(one, status)
      if (id >= count || answers.has(id)) throw new Malformed(`HTTP ${status} with an answer to another question`)
      answers.set(id, answer)
    } catch (error) {
      if (!(error instanceof TooFast) || count === 1) throw error
      refused ??= error
    }
  }
  if (refused) throw new PartlyTooFast(refused, firstOf(answers))
  if (answers.size < count) throw new Malformed(`HTTP ${status} with ${answers.size} answers to ${count} questions`)
  return Array.from({ length: count }, (_, id) => answers.get(id)!)
}

const firstOf = (answers: ReadonlyMap<number, RpcAnswer>): RpcAnswer[] => {
  const first: RpcAnswer[] = []
  for (let id = 0; answers.has(id); id += 1) first.push(answers.get(id)!)
  return first
}

/** One error for many questions: of no id, or of the first one's. */
const refuseBatch = (only: unknown, status: number): void => {
  const { error } = objectOf(only, `HTTP ${status} with an answer that`)
  if (error === undefined || error === null) return
  const { code, message } = objectOf(error, 'the error')
  if (/batch/i.test(String(message)) || !RATE.test(String(message)))
    throw new BatchRefused(`HTTP ${status}: ${String(message)} (${String(code)})`)
}

const readEnvelope = (value: unknown, status: number): { id: number; answer: RpcAnswer } => {
  const envelope = objectOf(value, `HTTP ${status} with an answer that`)
  const { id, error, result } = envelope
  if (error !== undefined && error !== null) {
    const { code, message, data } = objectOf(error, 'the error')
    if (isTooFast(Number(code), String(message)))
      throw new TooFast(`${String(message)} (${String(code)})`, backoffOf(data) ?? pauseInText(String(message)))
    // A server that could not tell one question from another answers none of them.
    if (id === null || id === undefined) throw new Malformed(`HTTP ${status}: ${String(message)} (${String(code)})`)
    return { id: wholeOf(id, 'the id'), answer: { ok: false, code: Number(code), message: String(message) } }
  }
  if (result === undefined) throw new Malformed(`HTTP ${status} with an answer that has no result`)
  return { id: wholeOf(id, 'the id'), answer: { ok: true, result } }
}

/** ms that Infura asks for in `data.rate.backoff_seconds`; null when it names none. */
const backoffOf = (data: unknown): number | null => {
  const seconds = (data as { rate?: { backoff_seconds?: unknown } } | null | undefined)?.rate?.backoff_seconds
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : null
}
