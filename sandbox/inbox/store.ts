/** What arrived, in memory and in a file that a restart reads again. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'

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

/** One JSON object a line. A last line cut short by a kill is dropped: its sender got no answer and will come again. */
export function openStore(file: string): MessageStore {
  mkdirSync(dirname(file), { recursive: true })
  const messages = load(file)
  return {
    append: (received) => {
      const message = { seq: messages.length + 1, ...received }
      appendFileSync(file, `${JSON.stringify(message)}\n`)
      messages.push(message)
      return message
    },
    after: (seq, merchantId) =>
      messages
        .slice(Math.max(0, seq))
        .filter((message) => merchantId === undefined || message.merchantId === merchantId),
  }
}

function load(file: string): Message[] {
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  if (whole.length < bytes.length) truncateSync(file, whole.length)
  const lines = whole.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Message)
}
