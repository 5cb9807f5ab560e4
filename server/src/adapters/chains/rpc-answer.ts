import { isTooFast, pauseInText, TooFast } from './pauses.ts'
import { Malformed, objectOf, wholeOf } from './shape.ts'

/** A result, which may be null, or the node's error with its code. */
export type RpcAnswer = { ok: true; result: unknown } | { ok: false; code: number; message: string }

/** The node rejects a whole batch, but may accept a smaller one. */
export class BatchRefused extends Error {
  override name = 'BatchRefused'
}

/** Only some requests of a batch were rejected by the rate limit, as with a quota that counts each one. */
export class PartlyTooFast extends TooFast {
  override name = 'PartlyTooFast'
  /** answers to the first requests of the batch, in order */
  readonly answered: RpcAnswer[]

  constructor({ message, pauseMs }: TooFast, answered: RpcAnswer[]) {
    super(message, pauseMs)
    this.answered = answered
  }
}

/** Messages for too many requests per time, as opposed to per batch. */
const RATE = /\brate|too many requests|overload|quota|capacity|per second|credit/i

/** Whether a node stopped in the middle of a batch because the answers were too long (geth, Nethermind). */
export const isCutOff = (answer: RpcAnswer): boolean =>
  !answer.ok && /response (is )?too (large|big)|maxbatchresponsebodysize/i.test(answer.message)

/**
 * Returns the answers to requests numbered from 0, in that order. A single request was sent alone, several as a batch.
 * Nodes send errors with various HTTP statuses, so the status is only used to describe an unexpected answer. Throws
 * `TooFast` when the rate limit rejected the request, `PartlyTooFast` for a part of a batch.
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

/** Handles one error for a whole batch, which has no id or that of the first request. */
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
    // An error without id means that the server could not parse the request and answered nothing.
    if (id === null || id === undefined) throw new Malformed(`HTTP ${status}: ${String(message)} (${String(code)})`)
    return { id: wholeOf(id, 'the id'), answer: { ok: false, code: Number(code), message: String(message) } }
  }
  if (result === undefined) throw new Malformed(`HTTP ${status} with an answer that has no result`)
  return { id: wholeOf(id, 'the id'), answer: { ok: true, result } }
}

/** Pause in ms by Infura's `data.rate.backoff_seconds`; null when it names none. */
const backoffOf = (data: unknown): number | null => {
  const seconds = (data as { rate?: { backoff_seconds?: unknown } } | null | undefined)?.rate?.backoff_seconds
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : null
}
