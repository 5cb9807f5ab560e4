import type { IncomingMessage } from 'node:http'
import { bodyTooLarge, invalidRequest, refuse } from './refusals.ts'

/**
 * Reads the bytes of a request, at most `most` of them: what says or turns out to be longer is refused at once, and no more
 * of it is kept. Undefined when there are none.
 */
export const readBytes = (request: IncomingMessage, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      request.removeAllListeners('data')
      request.resume()
      reject(refuse(bodyTooLarge, `the body is over ${most} bytes: send less`))
    }
    if (Number(request.headers['content-length'] ?? 0) > most) return tooLarge()
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > most) return tooLarge()
      if (first === undefined) first = chunk
      else (rest ??= [first]).push(chunk)
    })
    request.on('end', () => resolve(rest === undefined ? first : Buffer.concat(rest, length)))
    request.on('error', () => reject(refuse(invalidRequest, 'the body ended before its length')))
  })
