/** Answers an API request, normally or with the fault that a test set. */
import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer, TextAnswer } from '../../http/server.ts'
import type { AnswerScript } from '../faults.ts'
import type { Context } from './context.ts'

/**
 * The handlers of a request: `act` executes it, `refuse` answers with the acquirer's error code, signed like its other
 * responses.
 */
export interface Answering {
  act(): TextAnswer
  refuse(code: string): TextAnswer
}

/** @param isOrder response faults apply to orders, not to queries */
export async function answerCall(
  context: Context,
  isOrder: boolean,
  { act, refuse }: Answering,
): Promise<TextAnswer | NoAnswer> {
  const script: AnswerScript = isOrder ? context.faults.takeAnswer(context.dialect.name) : { delayMs: 0 }
  const { fault, delayMs, code } = script
  if (fault === 'unavailable') return new TextAnswer(503, { 'content-type': 'text/html' }, '<h1>503</h1>')
  const taken = act()
  const answer = code === undefined ? taken : refuse(code)
  await sleep(delayMs)
  if (fault === 'cut' || fault === 'held') return new NoAnswer(fault)
  if (fault === 'error') return new TextAnswer(500, { 'content-type': 'text/html' }, '<h1>500</h1>')
  if (fault === 'garbage') return new TextAnswer(200, { 'content-type': 'text/html' }, '<h1>Maintenance</h1>')
  if (fault === 'empty') return new TextAnswer(200, answer.headers, '')
  if (fault === 'half')
    return new TextAnswer(200, answer.headers, answer.text.slice(0, Math.floor(answer.text.length / 2)))
  return answer
}
