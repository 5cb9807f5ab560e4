/** The page of refused requests as developers of a merchant see it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../platform/base/language.ts'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { NOW } from '../../../../test/world/edge.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createRequestCounts } from '../../merchants/request-counts/index.ts'
import { createRefusalLog, type RefusedRequest } from '../../merchants/refused-requests/index.ts'

const { edge, memberOf } = useDashboard()
let merchantId = ''
let [developer, viewer, stranger]: TestBrowser[] = []
const at = (query = ''): string => `/app/merchants/${merchantId}/requests?lang=en${query}`
const refused = (given: Partial<RefusedRequest>): RefusedRequest => ({
  merchantId,
  keyId: null,
  at: NOW,
  requestId: 'r-1',
  method: 'POST',
  path: '/withdrawals/crypto',
  operation: 'createWithdrawal',
  status: 401,
  code: 3,
  reason: 'Invalid signature: check <b>merchant-id</b>',
  from: '192.0.2.7',
  ...given,
})

beforeAll(async () => {
  merchantId = (await makeMerchant(edge.db, NOW)).id
  developer = await memberOf(merchantId, 'developer')
  viewer = await memberOf(merchantId, 'viewer')
  stranger = await memberOf((await makeMerchant(edge.db, NOW)).id, 'owner')
})
const store = async (all: readonly RefusedRequest[]): Promise<void> => {
  const log = createRefusalLog(edge.db)
  for (const one of all) log.note(one)
  await log.job.run(new AbortController().signal)
}

describe('the page of refused requests', () => {
  test('says when there are none', async () => {
    const page = await developer!.get(at())
    expect([page.status, textOf(page).includes('No refused requests')]).toEqual([200, true])
  })

  test('has each with its reason as text, and whether it was signed', async () => {
    await store([
      refused({}),
      refused({ requestId: 'r-2', at: NOW + 1, keyId: merchantId, status: 400, code: 7, reason: 'too much' }),
    ])
    const page = await developer!.get(at())
    const text = textOf(page)
    expect(text).toMatch(/r-2.*400, 7 too much.*main key from 192\.0\.2\.7.*r-1.*401, 3.*no valid signature/)
    expect(page.text).not.toContain('<b>merchant-id')
    for (const language of LANGUAGES) expect((await developer!.get(at(`&lang=${language}`))).status).toBe(200)
  })

  test('has the counts of operations by key above the list, and no counts of another merchant', async () => {
    const counts = createRequestCounts(edge.db, () => NOW)
    const one = { merchantId, keyId: merchantId, operation: 'getBalances', ms: 3 }
    for (const status of [200, 200, 400]) counts.note({ ...one, status })
    await counts.job.run(new AbortController().signal)
    expect(textOf(await developer!.get(at()))).toMatch(/getBalances main key 3 3 1 3 ms 3 ms/)
    const { id } = await makeMerchant(edge.db, NOW)
    expect(textOf(await (await memberOf(id, 'owner')).get(`/app/merchants/${id}/requests`))).not.toContain(
      'getBalances',
    )
  })

  test('has 50 on a page, and a link to the older ones', async () => {
    for (const batch of [0, 1])
      await store(
        Array.from({ length: 49 }, (_, i) =>
          refused({ keyId: merchantId, requestId: `b${batch}-${i}`, at: NOW + 1_000 + batch * 100 + i }),
        ),
      )
    const page = await developer!.get(at())
    const next = /href="[^"]*(after=[\w-]+)[^"]*" rel="next"/.exec(page.text)?.[1]
    expect([...page.text.matchAll(/>b[01]-\d+</g)]).toHaveLength(50)
    const older = await developer!.get(at(`&${next}`))
    expect([[...older.text.matchAll(/>b[01]-\d+</g)].length, textOf(older).includes('r-1')]).toEqual([48, true])
  })

  test('is for developers, and for members of the merchant', async () => {
    expect([(await viewer!.get(at())).status, (await stranger!.get(at())).status]).toEqual([403, 404])
  })
})
