/** A node with JSON-RPC that answers as a test says, with headers if wanted. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The result, or a refusal; a method without an entry is one that the node does not have. */
export type Answer = (params: readonly unknown[]) => unknown
class Refusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
export const refuse = (code: number, message: string) => (): never => {
  throw new Refusal(code, message)
}

interface Question {
  id: number
  method: string
  params: unknown[]
}

/** @returns its url */
export const startRpcNode = async (
  answers: Readonly<Record<string, Answer>>,
  headers: Record<string, string> = {},
): Promise<string> => {
  const answer = ({ id, method, params }: Question): unknown => {
    try {
      const say = answers[method] ?? refuse(-32601, `the method ${method} does not exist/is not available`)
      return { jsonrpc: '2.0', id, result: say(params) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
    }
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[]
      outgoing.writeHead(200, headers).end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
