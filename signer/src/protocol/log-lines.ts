import { createHash } from 'node:crypto'
import type { LogEnd, SignedTransaction } from './protocol.ts'

/** The end of a log without lines. */
export const LOG_START: LogEnd = { length: 0, head: '0'.repeat(64) }

/** The signer's answer is not a continuation of the log that the caller has. */
export class LogLinesBroken extends Error {
  override name = 'LogLinesBroken'
}

/** One line of a signer's log, read outside the signer. */
export interface LogLine {
  /** its number; the first line of a log is 0 */
  seq: number
  /** the exact text, without its line break */
  text: string
  /** whether the line is the header that begins a file of the log */
  isHeader: boolean
  /** the transaction that the line records; undefined for a line of another kind */
  signed: SignedTransaction | undefined
}

/**
 * Reads lines that follow a known end, and checks the chain: the number of each line, and the hash of the line before.
 * Throws LogLinesBroken.
 * @returns the lines, and the end of the log after them
 */
export function readLogLines(texts: readonly string[], start: LogEnd): { lines: LogLine[]; end: LogEnd } {
  let end = start
  const lines = texts.map((text) => {
    const line = parse(text, end.length)
    if (line['seq'] !== end.length || line['previous'] !== end.head)
      throw new LogLinesBroken(`line ${end.length} of the signer's log does not follow from the line before`)
    end = { length: end.length + 1, head: createHash('sha256').update(text).digest('hex') }
    return { seq: end.length - 1, text, isHeader: line['kind'] === 'log', signed: signedOf(line) }
  })
  return { lines, end }
}

function parse(text: string, number: number): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new LogLinesBroken(`line ${number} of the signer's log is no JSON`)
  }
}

function signedOf(line: Record<string, unknown>): SignedTransaction | undefined {
  if (line['kind'] !== 'signed') return undefined
  const signed = line as unknown as SignedLine
  return { ...withoutBytes(signed), signed: signed.answer.signed }
}

/** A line of the log that records a signed transaction. */
type SignedLine = Omit<SignedTransaction, 'hash' | 'signed'> & { answer: { hash: string; signed: string } }

/** The transaction that a line records, without its signed bytes. */
export function withoutBytes(line: SignedLine): Omit<SignedTransaction, 'signed'> {
  const { network, transactionId, purpose, intents, keys, at, conflictKeys, expiresAt, answer } = line
  return {
    network,
    transactionId,
    purpose,
    intents,
    keys,
    at,
    hash: answer.hash,
    conflictKeys,
    ...(expiresAt !== undefined && { expiresAt }),
  }
}
