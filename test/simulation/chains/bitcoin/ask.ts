import { Agent, request } from 'undici'
import type { Bitcoind } from '../../../../sandbox/bitcoind/index.ts'
import type { NodeCall, Said } from '../dialect.ts'
import { exactJson } from '../exact-json.ts'

/** Calls of bitcoind's RPC, with the digits of amounts as they are. @param node the one that runs now */
export const askBitcoind = (node: () => Pick<Bitcoind, 'url' | 'user' | 'password'>) => {
  const agent = new Agent()
  return {
    ask: async ({ method, params }: NodeCall): Promise<Said> => {
      const { url, user, password } = node()
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        dispatcher: agent,
      })
      const text = await answer.body.text()
      if (!text.startsWith('{')) return { status: answer.statusCode, text }
      const { result, error } = exactJson.parse(text) as {
        result?: unknown
        error?: { code: number; message: string } | null
      }
      return error === undefined || error === null ? { result } : { error }
    },
    close: () => agent.close(),
  }
}
