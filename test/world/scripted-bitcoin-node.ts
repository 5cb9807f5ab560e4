/** A JSON-RPC node of Bitcoin whose answers a function gives, behind the real adapter: for other nodes than ours. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { createBitcoinAdapter, type BitcoinAdapterSettings } from '../../server/src/adapters/chains/bitcoin/index.ts'

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
  const reply = (body: string): string => {
    const asked = JSON.parse(body)
    return JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)).replaceAll(
      /\{"digits":"([^"]*)"\}/g,
      '$1',
    )
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => response.end(reply(body)))
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
