/** A node of java-tron's kind with the answers that a test sets, request by request. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TronChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { createTronAdapter, type TronAdapterSettings } from '../../server/src/adapters/chains/tron/index.ts'

type Body = Record<string, unknown>
export type Answers = Record<string, (body: Body) => unknown>

/** An answer other than JSON with HTTP 200. */
export class Reply {
  readonly status: number
  readonly body: string
  readonly headers: Record<string, string>

  constructor(status: number, body: string, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export interface ScriptedNode {
  adapter: TronChainAdapter
  url: string
  /** by method, as `wallet/getblock`; a method without an answer is one the node does not have */
  answers: Answers
  /** methods asked for, in order */
  asked: string[]
  /** the contents of the requests */
  headers: Record<string, unknown>[]
}

export const startScriptedNode = async (
  answers: Answers,
  settings: Partial<TronAdapterSettings> = {},
): Promise<ScriptedNode> => {
  const asked: string[] = []
  const headers: Record<string, unknown>[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const method = (incoming.url ?? '').replace(/^\/(api\/)?/, '')
      asked.push(method)
      headers.push(incoming.headers)
      const say = answers[method]
      if (!say) return void outgoing.writeHead(404).end('not found')
      const said = say(JSON.parse(Buffer.concat(chunks).toString()) as Body)
      if (said instanceof Reply) return void outgoing.writeHead(said.status, said.headers).end(said.body)
      outgoing.writeHead(200).end(JSON.stringify(said))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const adapter = createTronAdapter({
    url,
    tokens: [],
    internalTransactions: true,
    random: () => 0,
    timeoutMs: 1_000,
    ...settings,
  })
  onTestFinished(async () => {
    await adapter.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { adapter, url, answers, asked, headers }
}

/** The id of a block on a fork named by a byte. */
export const idOf = (height: number, fork = 'aa'): string => height.toString(16).padStart(16, '0') + fork.repeat(24)

export const headerOf = (height: number, fork = 'aa', time = height * 3_000): Body => ({
  blockID: idOf(height, fork),
  block_header: {
    raw_data: {
      ...(height > 0 && { number: height }),
      parentHash: idOf(Math.max(0, height - 1), fork),
      timestamp: time,
    },
  },
})

export const hashOfTest = (byte: string): string => byte.repeat(32)

/** A transfer of 5 sun in a block. */
export const shownTransfer = (hash: string, contractRet = 'SUCCESS'): Body => ({
  ret: [{ contractRet }],
  txID: hash,
  raw_data: {
    contract: [
      {
        parameter: { value: { owner_address: `41${'11'.repeat(20)}`, to_address: `41${'22'.repeat(20)}`, amount: 5 } },
        type: 'TransferContract',
      },
    ],
  },
})
