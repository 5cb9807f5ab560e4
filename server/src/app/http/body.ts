import type { IncomingMessage } from 'node:http'
import { refusal } from '../../platform/api/route.ts'
import type { BodyShare } from './body-budget.ts'
import { bodyTooLarge, invalidRequest } from './refusals.ts'

/** Refuses a body whose declared length exceeds `most` bytes, before any of it is read. */
export const checkLength = ({ headers }: IncomingMessage, most: number): void => {
  if (Number(headers['content-length'] ?? 0) > most) throw tooLong(most)
}

const tooLong = (most: number) => refusal(bodyTooLarge, `the body is over ${most} bytes: send less`)

/**
 * Reads the body of a request, at most `most` bytes. A longer body is refused as soon as that is known, and the rest is
 * discarded. A body that exceeds `share` is refused, too. Undefined when the body is empty.
 */
export const readBytes = (request: IncomingMessage, most: number, share: BodyShare): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const stop = (refusal: unknown): void => {
      request.removeAllListeners('data')
      request.resume()
      share.release()
      reject(refusal)
    }
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let length = 0
    try {
      checkLength(request, most)
    } catch (error) {
      return stop(error)
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > most) return stop(tooLong(most))
      try {
        share.take(chunk.length)
      } catch (error) {
        return stop(error)
      }
      if (first === undefined) first = chunk
      else (rest ??= [first]).push(chunk)
    })
    request.on('end', () => resolve(rest === undefined ? first : Buffer.concat(rest, length)))
    request.on('error', () => stop(refusal(invalidRequest, 'the body ended before its length')))
  })
