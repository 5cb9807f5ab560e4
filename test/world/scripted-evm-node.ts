/** A node of JSON-RPC that gives the answers a test names, by method. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createEvmAdapter, type EvmAdapterSettings } from '../../server/src/adapters/chains/evm/index.ts'

interface Question {
  id: number
  method: string
  params: unknown[]
}

export type Answer = { result: unknown } | { error: { code: number; message: string } }

export const refusal = (code: number, message: string): Answer => ({ error: { code, message } })

/** An adapter before such a node, and the questions that it asked, in order. Both end with the test. */
export const adapterBefore = async (
  answers: Readonly<Record<string, Answer | ((params: unknown[]) => Answer)>>,
  given: Partial<EvmAdapterSettings> = {},
) => {
  const asked: Question[] = []
  const answerOf = ({ id, method, params }: Question): object => {
    asked.push({ id, method, params })
    const answer = answers[method] ?? refusal(-32_601, `the method ${method} does not exist/is not available`)
    return { jsonrpc: '2.0', id, ...(typeof answer === 'function' ? answer(params) : answer) }
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[]
      outgoing.end(JSON.stringify(Array.isArray(body) ? body.map(answerOf) : answerOf(body)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const adapter = createEvmAdapter({
    network: 'ETHEREUM',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    tokens: [],
    finality: 'finalized',
    legacyGas: false,
    gasPriceFloor: 1n,
    gasPriceCap: 10n ** 12n,
    traces: 'off',
    random: () => 0,
    ...given,
  })
  onTestFinished(async () => {
    await adapter.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { adapter, asked }
}
