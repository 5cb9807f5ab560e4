/**
 * The files (CSV) that requests of the fuzz have open. The contract allows four at once for a merchant
 * (`docs/contract.md` 20 #6), and the fuzz sends more requests than that at once.
 */
import { generalErrors } from '@bursar/contract'
import type { Answer } from './connection.ts'
import { refusalOf } from './oracles/answers.ts'

/** Files of one merchant that may be open at once. */
const MOST_FILES = 4

/** A request, from its sending until its answers are read. */
export interface Flight {
  end(): void
  /**
   * Faults of a refusal because of open files; undefined when the answers are no such refusal, so that the rules of
   * the case hold
   */
  faultsOf(answers: readonly Answer[]): string[] | undefined
}

export interface OpenFiles {
  begin(parts: readonly Buffer[]): Flight
}

const NO_FILE: Flight = { end: () => {}, faultsOf: () => undefined }

export const createOpenFiles = (): OpenFiles => {
  const open = new Map<string, Set<{ most: number }>>()
  return {
    begin: (parts) => {
      const merchant = merchantOfFile(parts)
      if (merchant === undefined) return NO_FILE
      const flights = open.get(merchant) ?? new Set()
      open.set(merchant, flights)
      // The most of the merchant's files that were open at one moment of this request, its own included.
      const flight = { most: 0 }
      flights.add(flight)
      for (const one of flights) one.most = Math.max(one.most, flights.size)
      return {
        end: () => void flights.delete(flight),
        faultsOf: (answers) => (isTooMany(answers) ? faultsOfTooMany(answers[0]!, flight.most) : undefined),
      }
    },
  }
}

/** @returns the merchant of a request for a file; undefined when it asks for none */
const merchantOfFile = (parts: readonly Buffer[]): string | undefined => {
  const text = Buffer.concat(parts).toString('latin1')
  const query = /^(?:GET|HEAD) [^ ?]*\?([^ ]*) /.exec(text)?.[1]
  if (query === undefined || new URLSearchParams(query).get('format') !== 'csv') return undefined
  return /\r\nmerchant-id: *([^\r ]+)/i.exec(text)?.[1]?.toLowerCase()
}

const isTooMany = ([answer]: readonly Answer[]): boolean => answer?.status === generalErrors.tooManyRequests.status

const faultsOfTooMany = (answer: Answer, most: number): string[] => {
  if (most <= MOST_FILES) return [`refused as too many, with at most ${most} files open`]
  const faults: string[] = []
  if (answer.headers['retry-after'] === undefined) faults.push('429 without Retry-After')
  if (answer.body.length > 0 && refusalOf(answer)?.code !== generalErrors.tooManyRequests.code)
    faults.push(`429 with another code: ${answer.body.toString().slice(0, 200)}`)
  return faults
}
