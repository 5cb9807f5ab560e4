/** The control server and the command are doubles that answer as `sandbox/control` and `server/src/app/cli` do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serve } from '../http/server.ts'
import type { SandboxServer } from '../http/server.ts'
import type { Description } from '../try/running.ts'
import { resolveUnsent } from './unsent.ts'

const KNOWN = 'known-at-the-bank'
let server: SandboxServer
const advanced: unknown[] = []

beforeAll(async () => {
  const routes = [
    {
      method: 'GET',
      path: /^\/bank\/find$/,
      name: 'GET /bank/find',
      handle: async ({ query }: { query: Readonly<Record<string, string>> }) => ({
        payouts: query['reference'] === KNOWN ? [{ reference: KNOWN }] : [],
      }),
    },
    {
      method: 'POST',
      path: /^\/clock$/,
      name: 'POST /clock',
      handle: async ({ json }: { json(): unknown }) => {
        advanced.push(json())
        return { done: true }
      },
    },
  ]
  server = await serve({ name: 'the control server', port: 0, routes })
})

afterAll(() => server.stop())

const run = async (references: readonly (string | null)[]) => {
  const commands: string[][] = []
  const operator = async (...words: string[]) => {
    if (words[0] !== 'card-payouts') commands.push(words)
    return { text: JSON.stringify({ parts: references.map((reference) => ({ reference })) }), code: 0 }
  }
  const resolved = await resolveUnsent({ control: server.url } as Description, operator)
  return { resolved, commands: commands.map(([, , reference, , how]) => [reference, how]) }
}

test('an order that the bank does not have is resolved as refused, and no other', async () => {
  expect(await run([KNOWN, null, 'lost'])).toEqual({ resolved: ['lost'], commands: [['lost', '--refused']] })
  expect(advanced).toEqual([{ advanceMs: 960_000 }])
})

test('the clock stays while the bank has every order', async () => {
  advanced.length = 0
  expect(await run([KNOWN, null])).toEqual({ resolved: [], commands: [] })
  expect(advanced).toEqual([])
})
