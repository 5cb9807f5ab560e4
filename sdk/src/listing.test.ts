import { listDeposits } from '@bursar/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Bursar, BursarError } from './index.ts'
import { merchantId, privateKey, startService } from './test-service.ts'

const [page] = (listDeposits.response as unknown as { examples: [{ items: [{ id: string }] }] }).examples
const itemOf = (id: string) => ({ ...page.items[0], id })
/** Pages by the `after` with which they are asked for; one of them is empty. */
const pages: Record<string, unknown> = {
  '': { items: [itemOf('a'), itemOf('b')], next: 'p2' },
  p2: { items: [], next: 'p3' },
  p3: { items: [itemOf('c')] },
}
let isFailing = false
let service: Awaited<ReturnType<typeof startService>>
let client: Bursar
beforeAll(async () => {
  service = await startService(({ target }) => {
    const after = new URL(target, 'http://x').searchParams.get('after') ?? ''
    if (isFailing && after === 'p3') return { status: 400, body: JSON.stringify({ code: 100, description: 'no' }) }
    return { body: JSON.stringify(pages[after]) }
  })
  client = new Bursar({ url: service.url, merchantId, privateKey })
})
beforeEach(() => service.seen.splice(0))
afterAll(() => service.stop())

test('a list is read page by page to its end, also behind an empty page, with the same filters', async () => {
  const ids = []
  for await (const { id } of client.deposits.list({ status: 'Done', limit: 2 })) ids.push(id)
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(service.seen.map(({ target }) => target.split('?')[1])).toEqual([
    'status=Done&limit=2',
    'status=Done&after=p2&limit=2',
    'status=Done&after=p3&limit=2',
  ])
})

test('a list asks for no page before it is needed', async () => {
  for await (const { id } of client.deposits.list({})) {
    expect(id).toBe('a')
    break
  }
  expect(service.seen).toHaveLength(1)
})

test('a page that fails ends the list with its error', async () => {
  isFailing = true
  const ids: string[] = []
  const read = async (): Promise<void> => {
    for await (const { id } of client.deposits.list({})) ids.push(id)
  }
  await expect(read()).rejects.toBeInstanceOf(BursarError)
  expect(ids).toEqual(['a', 'b'])
  isFailing = false
})
