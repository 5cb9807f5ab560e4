/**
 * The faults of an acquirer's emulator that apply to the next order, which would otherwise succeed: rows,
 * of docs/dialects.md.
 */
import { objectWith, oneOf, text, wholeNumber } from '../http/fields.ts'
import type { Fields } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'

/** The result of the next payment or payout. Every emulator supports these. */
const outcomes = ['success', 'refused', 'insufficient-funds', 'stuck', 'reversed', 'wrong-amount'] as const
export type Outcome = (typeof outcomes)[number]

/**
 * How the next order through the API is answered. `unavailable`: not accepted, HTTP 503. In all other cases it is
 * accepted. The connection is then `cut`, or `held` without a response, or the response is HTTP 500 (`error`), a page
 * (`garbage`), HTTP 200 without a body (`empty`), or its first half (`half`).
 */
const answerFaults = ['cut', 'held', 'error', 'garbage', 'empty', 'half', 'unavailable'] as const
type AnswerFault = (typeof answerFaults)[number]

/** How the result is reported. */
export interface Telling {
  /** before each callback, ms */
  readonly delayMs: number
  /** more copies of each */
  readonly duplicate: number
  /** the last first */
  readonly reorder: boolean
  /** no callback at all */
  readonly drop: boolean
  /** the first attempt of each is signed wrongly */
  readonly badSignature: boolean
}

interface Decision extends Telling {
  readonly outcome?: Outcome
}

/**
 * The result of the next refund. `pending`: accepted, and open until a test ends it. `failed`: accepted, but refunds
 * nothing. `late`: made, but the next two queries of the payment do not show it.
 */
const refundFaults = ['pending', 'failed', 'late'] as const
type RefundFault = (typeof refundFaults)[number]

export interface AnswerScript {
  readonly fault?: AnswerFault
  /** the order is taken, and answered with this error code of the acquirer's */
  readonly code?: string
  /** before the answer, ms */
  readonly delayMs: number
}

export interface Faults {
  /** @param body `fields` below. Throws a Refusal naming what to send. */
  next(body: unknown): { waiting: number }
  /** For an order that has just arrived. */
  takeAnswer(account: string): AnswerScript
  /** For a request that is decided now. */
  takeDecision(account: string): Decision
  /** For a refund that is taken up now. */
  takeRefund(account: string): RefundFault | undefined
}

const plain: Telling = { delayMs: 0, duplicate: 0, reorder: false, drop: false, badSignature: false }
const longestDelayMs = 3_600_000
const mostCopies = 100
const mostTimes = 1_000
const fields = [
  'outcome',
  'delayMs',
  'duplicate',
  'reorder',
  'drop',
  'badSignature',
  'answer',
  'answerCode',
  'answerDelayMs',
  'refund',
  'account',
  'times',
]

/** Faults are in memory only: a restart clears them. */
export function createFaults(accounts: readonly string[]): Faults {
  const answers: { account?: string; script: AnswerScript }[] = []
  const decisions: { account?: string; decision: Decision }[] = []
  const refunds: { account?: string; fault: RefundFault }[] = []
  return {
    next: (body) => {
      const given = objectWith(body ?? {}, fields)
      if (Object.keys(given).length === 0) throw new Refusal(`send at least one of ${fields.join(', ')}`)
      const forAccount = given['account'] === undefined ? {} : { account: oneOf(given, 'account', accounts) }
      for (let i = wholeNumber(given, 'times', 1, mostTimes, 1); i > 0; i -= 1) {
        const { script, decision } = { script: answerOf(given), decision: decisionOf(given) }
        if (script) answers.push({ ...forAccount, script })
        if (decision) decisions.push({ ...forAccount, decision })
        if (given['refund'] !== undefined)
          refunds.push({ ...forAccount, fault: oneOf(given, 'refund', refundFaults) as RefundFault })
      }
      return { waiting: answers.length + decisions.length + refunds.length }
    },
    takeAnswer: (account) => takeFirst(answers, account)?.script ?? { delayMs: 0 },
    takeDecision: (account) => takeFirst(decisions, account)?.decision ?? plain,
    takeRefund: (account) => takeFirst(refunds, account)?.fault,
  }
}

function takeFirst<T extends { account?: string }>(queue: T[], account: string): T | undefined {
  const at = queue.findIndex((one) => one.account === undefined || one.account === account)
  return at < 0 ? undefined : queue.splice(at, 1)[0]
}

function answerOf(given: Fields): AnswerScript | undefined {
  if (['answer', 'answerCode', 'answerDelayMs'].every((name) => given[name] === undefined)) return undefined
  return {
    ...(given['answerCode'] === undefined ? {} : { code: text(given, 'answerCode') }),
    ...(given['answer'] === undefined ? {} : { fault: oneOf(given, 'answer', answerFaults) as AnswerFault }),
    delayMs: wholeNumber(given, 'answerDelayMs', 0, longestDelayMs, 0),
  }
}

function decisionOf(given: Fields): Decision | undefined {
  const named = ['outcome', 'delayMs', 'duplicate', 'reorder', 'drop', 'badSignature'].some(
    (name) => given[name] !== undefined,
  )
  if (!named) return undefined
  return {
    ...(given['outcome'] === undefined ? {} : { outcome: oneOf(given, 'outcome', outcomes) as Outcome }),
    delayMs: wholeNumber(given, 'delayMs', 0, longestDelayMs, 0),
    duplicate:
      given['duplicate'] === true ? 1 : wholeNumber({ duplicate: given['duplicate'] || 0 }, 'duplicate', 0, mostCopies),
    reorder: flag(given, 'reorder'),
    drop: flag(given, 'drop'),
    badSignature: flag(given, 'badSignature'),
  }
}

function flag(given: Fields, name: string): boolean {
  const value = given[name] ?? false
  if (typeof value !== 'boolean') throw new Refusal(`${name}: send true or false`)
  return value
}
