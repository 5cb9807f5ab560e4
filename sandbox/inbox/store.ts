/** Received messages, in memory and in a file that a restart reads. */
import { openLines } from './lines.ts'

export interface Message {
  /** 1 for the first, without gaps. */
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  readonly merchantId: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** As received, undecoded but for UTF-8. */
  readonly body: string
  /** The status it was answered with. */
  readonly answered: number
}

export interface MessageStore {
  append(message: Omit<Message, 'seq'>): Message
  /** Messages with a larger `seq`, oldest first; of one merchant when named. */
  after(seq: number, merchantId?: string): Message[]
}

export function openStore(file: string): MessageStore {
  const lines = openLines<Message>(file)
  return {
    append: (received) => {
      const message = { seq: lines.all.length + 1, ...received }
      lines.append(message)
      return message
    },
    after: (seq, merchantId) =>
      lines.all
        .slice(Math.max(0, seq))
        .filter((message) => merchantId === undefined || message.merchantId === merchantId),
  }
}
