import type { ServerResponse } from 'node:http'
import { type StreamedAnswer, refusal } from '../../platform/api/route.ts'
import { sendStreamHead, type Exchange } from './answering.ts'
import { tooManyRequests } from './refusals.ts'

/** Limits of the files of one merchant in one process: each reads the database for as long as its client takes it. */
export interface FileLimits {
  /** at once, of the API and of the dashboard together */
  most: number
  /** at once, of the dashboard: its members leave the rest to the API */
  mostOfMembers: number
  /** ms; the connection is closed afterwards, so that a client that reads slowly holds its place for so long at most */
  longestMs: number
}

export const FILE_LIMITS: FileLimits = { most: 4, mostOfMembers: 2, longestMs: 3_600_000 }
const RETRY_SECONDS = 10

/** The reader of a file: the merchant's own program, or a member in the dashboard. */
interface Reader {
  merchantId: string
  isMember: boolean
}

export interface Streams {
  /**
   * Sends a streamed answer at the speed of its client. Throws before anything is sent: the refusal of the first piece,
   * or 429 while the merchant has too many streams. If a later piece fails, the time limit is reached or the server
   * closes, the connection is closed without the end of the answer, so that the client does not take a part for the
   * whole.
   */
  send(exchange: Exchange, reader: Reader, answer: StreamedAnswer, isClosing: () => boolean): Promise<void>
}

export const createStreams = ({ most, mostOfMembers, longestMs }: FileLimits): Streams => {
  const [all, ofMembers] = [createPlaces(most), createPlaces(mostOfMembers)]
  return {
    send: async (exchange, { merchantId, isMember }, answer, isClosing) => {
      const leaves: (() => void)[] = []
      try {
        for (const places of isMember ? [ofMembers, all] : [all]) leaves.push(places.enter(merchantId))
        await sendPieces(exchange, answer, { isClosing, longestMs })
      } finally {
        for (const leave of leaves) leave()
      }
    },
  }
}

/** Counts the files of each merchant. */
const createPlaces = (most: number) => {
  const open = new Map<string, number>()
  return {
    /** Throws 429 while the merchant has as many as it may. @returns the function that leaves the place */
    enter: (merchantId: string): (() => void) => {
      const others = open.get(merchantId) ?? 0
      if (others >= most)
        throw refusal(tooManyRequests, `${most} files are being sent to this merchant: wait for one`, {
          retryAfterSeconds: RETRY_SECONDS,
        })
      open.set(merchantId, others + 1)
      return () => {
        const left = open.get(merchantId)! - 1
        if (left === 0) open.delete(merchantId)
        else open.set(merchantId, left)
      }
    },
  }
}

const sendPieces = async (
  exchange: Exchange,
  answer: StreamedAnswer,
  { isClosing, longestMs }: { isClosing: () => boolean } & Pick<FileLimits, 'longestMs'>,
): Promise<void> => {
  const { request, response } = exchange
  const isHead = request.method === 'HEAD'
  let [isBegun, isCut] = [false, false]
  const timer = setTimeout(() => response.destroy(), longestMs)
  try {
    for await (const piece of answer.pieces) {
      if (response.destroyed) return
      isCut = isBegun && isClosing()
      if (isCut) break
      if (!isBegun) sendStreamHead(exchange, answer)
      isBegun = true
      if (isHead) break
      if (piece !== '' && !response.write(piece)) await drained(response)
    }
    if (isCut) response.destroy()
    else response.end()
  } catch (error) {
    if (isBegun) response.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when the response takes more, or its connection is closed. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
    if (response.destroyed) done()
  })
