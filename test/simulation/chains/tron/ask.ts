import { Agent, request } from 'undici'
import type { NodeCall, Said } from '../dialect.ts'
import { exactJson } from '../exact-json.ts'

/** Calls of java-tron's HTTP API. */
export const askTron = (url: string) => {
  const agent = new Agent()
  return {
    ask: async ({ method, params }: NodeCall): Promise<Said> => {
      const answer = await request(`${url}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params[0] ?? {}),
        dispatcher: agent,
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200 || !/^[[{]/.test(text)) return { status: answer.statusCode, text }
      return { result: exactJson.parse(text) }
    },
    close: () => agent.close(),
  }
}
