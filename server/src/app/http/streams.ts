import type { ServerResponse } from 'node:http'
import type { StreamedAnswer } from '../../platform/api/route.ts'
import { sendStreamHead, type Exchange } from './answering.ts'
import { refuse, tooManyRequests } from './refusals.ts'

/** Streams of one merchant in one process: each reads the database for as long as its client takes it. */
const MOST_OF_A_MERCHANT = 4
const RETRY_SECONDS = 10

export interface Streams {
  /**
   * Sends a streamed answer at the speed of its client. Throws before anything is sent: the refusal of the first piece,
   * or 429 while the merchant has too many streams. If a later piece fails or the server closes, the connection is
   * closed without the end of the answer, so that the client does not take a part for the whole.
   */
  send(exchange: Exchange, merchantId: string, answer: StreamedAnswer, isClosing: () => boolean): Promise<void>
}

export const createStreams = (): Streams => {
  const open = new Map<string, number>()
  return {
    send: async (exchange, merchantId, answer, isClosing) => {
      const others = open.get(merchantId) ?? 0
      if (others >= MOST_OF_A_MERCHANT)
        throw refuse(tooManyRequests, `${MOST_OF_A_MERCHANT} files are being sent to this merchant: wait for one`, {
          retryAfterSeconds: RETRY_SECONDS,
        })
      open.set(merchantId, others + 1)
      try {
        await sendPieces(exchange, answer, isClosing)
      } finally {
        const left = open.get(merchantId)! - 1
        if (left === 0) open.delete(merchantId)
        else open.set(merchantId, left)
      }
    },
  }
}

const sendPieces = async (exchange: Exchange, answer: StreamedAnswer, isClosing: () => boolean): Promise<void> => {
  const { request, response } = exchange
  const isHead = request.method === 'HEAD'
  let [isBegun, isCut] = [false, false]
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
