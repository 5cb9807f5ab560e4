/** Every operation of the contract, asked of the whole sandbox without SDK: each is built, and none fails. */
import { operations } from '@bursar/contract'
import { describe, expect, test } from 'vitest'
import { sign } from '../world/signed-request.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()

describe('every operation of the contract', () => {
  const ask = (operation: (typeof operations)[number], example: unknown): Promise<Response> => {
    const { method, contentType } = operation
    const path = operation.path.replace(':id', '01890000-0000-7000-8000-000000000000')
    const query = method === 'GET' ? new URLSearchParams(example as Record<string, string>).toString() : ''
    const target = query === '' ? path : `${path}?${query}`
    const body =
      method === 'GET'
        ? ''
        : contentType === 'application/json'
          ? JSON.stringify(example)
          : new URLSearchParams(example as Record<string, string>).toString()
    const timestamp = Math.floor(Date.now() / 1_000)
    const { id, privateKey } = sandbox.merchants[0]
    const signature = sign(privateKey, method, target, body, timestamp)
    const headers = {
      'merchant-id': id,
      signature,
      timestamp: String(timestamp),
      ...(contentType && { 'content-type': contentType }),
    }
    return fetch(sandbox.api + target, { method, headers, redirect: 'manual', ...(method === 'GET' ? {} : { body }) })
  }

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s is built',
    async (_id, operation) => {
      const examples = ((operation.body ?? operation.query) as { examples?: unknown[] } | null)?.examples ?? []
      for (const example of [{}, ...examples]) {
        const answer = await ask(operation, example)
        const text = await answer.text()
        expect(answer.status, text).toBeLessThan(500)
        expect(answer.status, text).not.toBe(401)
        expect(text).not.toMatch(/"code":\s*106\b/)
      }
    },
  )
})
