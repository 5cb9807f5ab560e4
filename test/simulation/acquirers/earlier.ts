/**
 * A cache between the program and an acquirer: while a story says so, questions are answered as they were answered last
 * before a certain moment.
 */
import type { Answer, Exchange } from '../fronts/http.ts'

export interface Earlier {
  forward(exchange: Exchange): Promise<Answer>
  /** The answers of now are those that are given later. */
  keep(): void
  /** Whether questions get the answers that were kept, where there are some. */
  isEarlier: boolean
}

/** A body of an acquirer, of which LiqPay's has its data in another encoding. */
export const readable = (body: string): string => {
  const data = new URLSearchParams(body).get('data')
  return data === null ? body : Buffer.from(data, 'base64').toString('latin1')
}

/** A request that changes nothing: of the bank by its method, of the others by its action or its type. */
const isQuestion = ({ method, body }: Exchange): boolean => {
  if (method === 'GET') return true
  return /"action":"status"|"transactionType":"CHECK_STATUS"/.test(readable(body.toString('latin1')))
}

export const createEarlier = (forward: (exchange: Exchange) => Promise<Answer>): Earlier => {
  const last = new Map<string, Answer>()
  let kept: ReadonlyMap<string, Answer> = new Map()
  const earlier: Earlier = {
    isEarlier: false,
    keep: () => {
      kept = new Map(last)
    },
    forward: async (exchange) => {
      if (!isQuestion(exchange)) return forward(exchange)
      const key = `${exchange.method} ${exchange.path} ${exchange.body.toString('latin1')}`
      const known = earlier.isEarlier ? kept.get(key) : undefined
      if (known !== undefined) return known
      const answer = await forward(exchange)
      last.set(key, answer)
      return answer
    },
  }
  return earlier
}
