import { Malformed, objectOf, wholeOf } from './shape.ts'

/** A result, which may be null, or the node's own refusal with its code. */
export type RpcAnswer = { ok: true; result: unknown } | { ok: false; code: number; message: string }

/**
 * The answers to questions numbered from 0, in that order. One question was asked alone, more as a batch. Nodes answer
 * refusals with several HTTP statuses, so the status only serves to say what came instead of an answer.
 */
export const readAnswers = (value: unknown, count: number, status: number): RpcAnswer[] => {
  const given = Array.isArray(value) ? value : [value]
  const answers = new Map<number, RpcAnswer>()
  for (const one of given) {
    const { id, answer } = readEnvelope(one, status)
    if (id >= count || answers.has(id)) throw new Malformed(`HTTP ${status} with an answer to another question`)
    answers.set(id, answer)
  }
  if (answers.size < count) throw new Malformed(`HTTP ${status} with ${answers.size} answers to ${count} questions`)
  return Array.from({ length: count }, (_, id) => answers.get(id)!)
}

const readEnvelope = (value: unknown, status: number): { id: number; answer: RpcAnswer } => {
  const envelope = objectOf(value, `HTTP ${status} with an answer that`)
  const { id, error, result } = envelope
  if (error !== undefined && error !== null) {
    const { code, message } = objectOf(error, 'the error')
    // A server that could not tell one question from another answers none of them.
    if (id === null || id === undefined) throw new Malformed(`HTTP ${status}: ${String(message)} (${String(code)})`)
    return { id: wholeOf(id, 'the id'), answer: { ok: false, code: Number(code), message: String(message) } }
  }
  if (result === undefined) throw new Malformed(`HTTP ${status} with an answer that has no result`)
  return { id: wholeOf(id, 'the id'), answer: { ok: true, result } }
}
