/**
 * A node of JSON-RPC played by a function, behind the real adapter: for what the installed node does not do. Only
 * tests of these adapters use it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createBitcoinAdapter, type BitcoinAdapterSettings } from './index.ts'

export type Answer = { result: unknown } | { error: { code: number; message: string } }

/**
 * @param answer to each call; an amount with decimals is written as a number, as nodes do, when it is given as `{
 * digits }`
 */
export const playNode = async (
  answer: (method: string, params: readonly unknown[]) => Answer,
  more: Partial<BitcoinAdapterSettings> = {},
) => {
  const one = ({ id, method, params }: { id: number; method: string; params: unknown[] }) => ({
    id,
    ...answer(method, params),
  })
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const asked = JSON.parse(text)
    response.end(
      JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)).replaceAll(/\{"digits":"([^"]*)"\}/g, '$1'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://u:p@127.0.0.1:${(server.address() as AddressInfo).port}`
  const adapter = createBitcoinAdapter({
    url,
    chain: 'regtest',
    finalDepth: 6,
    fees: { floor: 1_000n, cap: 300_000n },
    random: () => 0,
    ...more,
  })
  onTestFinished(async () => {
    await adapter.close()
    server.close()
  })
  return adapter
}
