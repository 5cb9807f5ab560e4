/** Answers a call of the API, as well or as badly as the emulator was told to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer, TextAnswer } from '../../http/server.ts'
import type { Desk } from './desk.ts'

/** @param isOrder faults of answers are for calls that order something, not for those that look something up */
export async function answerCall(desk: Desk, isOrder: boolean, act: () => TextAnswer): Promise<TextAnswer | NoAnswer> {
  const { fault, delayMs } = isOrder ? desk.faults.takeAnswer(desk.dialect.name) : { fault: undefined, delayMs: 0 }
  if (fault === 'unavailable') return new TextAnswer(503, { 'content-type': 'text/html' }, '<h1>503</h1>')
  const answer = act()
  await sleep(delayMs)
  if (fault === 'cut' || fault === 'held') return new NoAnswer(fault)
  if (fault === 'error') return new TextAnswer(500, { 'content-type': 'text/html' }, '<h1>500</h1>')
  if (fault === 'garbage') return new TextAnswer(200, { 'content-type': 'text/html' }, '<h1>Maintenance</h1>')
  return answer
}
