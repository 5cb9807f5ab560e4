import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()

const type = async (...words: string[]): Promise<{ code: number; said: string }> => {
  const { code, text } = await captured(() => runCommand(words, env, async () => 'yes'))
  return { code, said: text }
}
const shown = async (...words: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await type(...words, '--json')).said) as Record<string, unknown>
const newMerchant = async (name: string): Promise<string> =>
  (await shown('merchant', 'create', '--name', name, '--url', 'https://shop.example'))['id'] as string

test('an additional endpoint is made, listed without its secret, and removed by its own merchant only', async () => {
  const id = await newMerchant('Shop')
  const other = await newMerchant('Other')
  const words = ['--url', 'https://books.example/hooks', '--description', 'books']
  const { endpointId, secret } = await shown('merchant', 'add-webhook', id, ...words, '--kinds', 'Withdraw,Replenish')
  expect(secret).toMatch(/^whsec_/)
  const listed = await type('merchant', 'webhooks', id, '--json')
  expect(listed.said).not.toContain(secret)
  expect((JSON.parse(listed.said) as { endpoints: unknown[] }).endpoints).toMatchObject([
    { id: endpointId, url: 'https://books.example/hooks', description: 'books', isOn: true, waiting: 0, failing: 0 },
  ])
  const wrong = await type('merchant', 'add-webhook', id, '--url', 'ftp://books', '--kinds', 'None')
  expect(wrong.code).not.toBe(0)
  expect(wrong.said).toMatch(/--url is an address.*--kinds is one or more/)
  expect((await type('merchant', 'add-webhook', randomUUID(), ...words)).said).toContain('no merchant has the id')
  expect((await type('merchant', 'remove-webhook', other, endpointId as string)).said).toContain('no such additional')
  expect((await type('merchant', 'remove-webhook', id, endpointId as string)).code).toBe(0)
  expect((await type('merchant', 'remove-webhook', id, endpointId as string)).said).toContain('no such additional')
  const { rows } = await sql<{
    action: string
    actor: string
    detail: string
  }>`select action, actor, detail::text as detail
    from dashboard_audit where merchant_id = ${id} order by at, id`.execute(db)
  expect(rows).toMatchObject([
    { action: 'added webhook endpoint', actor: expect.stringMatching(/^cli:/) },
    { action: 'removed webhook endpoint', actor: expect.stringMatching(/^cli:/) },
  ])
  expect(rows.map(({ detail }) => detail).join()).not.toContain(secret)
})

test('commands about notifications take an additional endpoint of the same merchant only', async () => {
  const id = await newMerchant('Shop')
  const other = await newMerchant('Other')
  const { endpointId } = await shown('merchant', 'add-webhook', id, '--url', 'https://books.example/hooks')
  const at = ['--endpoint', endpointId as string]
  for (const words of [['attempts', '1'], ['replay', '1', '2'], ['skip', randomUUID()], ['wake']]) {
    const [name, ...more] = words as [string, ...string[]]
    const wrong = await type('events', name, other, ...more, ...at)
    expect(wrong.code, name).not.toBe(0)
    expect(wrong.said, name).toContain('no such additional endpoint')
    const right = await type('events', name, id, ...more, ...at)
    expect(right.said, name).not.toContain('no such additional endpoint')
  }
  expect((await type('events', 'wake', id, ...at)).code).toBe(0)
  expect((await type('events', 'exhausted', id)).code).toBe(0)
})
