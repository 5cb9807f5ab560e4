/** The pages of webhooks in a real browser: without scripts, and before axe. */
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { setSetting } from '../../server/src/merchants/accounts/index.ts'
import { addEndpoint, askTest, emit } from '../../server/src/merchants/webhooks/index.ts'
import { nowOf } from '../../server/src/people/access/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { createRequestCounts } from '../../server/src/merchants/request-counts/index.ts'
import { createRefusalLog } from '../../server/src/merchants/refused-requests/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { box } from '../world/merchant.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the pages of webhooks', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string): string => `${origin()}/app/merchants/${edge.merchant.id}/webhooks${page}`

  const endpoint = randomUUID()
  beforeAll(async () => {
    const { moment } = nowOf(createTestRuntime(edge.db, () => edge.clock.ms))
    const { id: merchantId } = edge.merchant
    const set = { name: 'notificationsUrl', value: `https://shop.example/${'hook'.repeat(20)}` }
    await inTransaction(edge.db, (tx) => setSetting(tx, merchantId, set, { actor: 'test' }, moment))
    await inTransaction(edge.db, (tx) => askTest(tx, { merchantId, id: randomUUID() }, moment))
    const given = { merchantId, url: `https://books.example/${'hook'.repeat(20)}`, description: 'books', kinds: null }
    const deps = { box, random: randomBytes }
    await inTransaction(edge.db, (tx) =>
      addEndpoint(tx, { ...given, id: endpoint, createdBy: 'cli:test' }, deps, moment),
    )
    for (const kind of ['Replenish', 'CryptoInvoice', 'Withdraw']) {
      const objectId = randomUUID()
      const body = { kind, id: objectId, status: 'Done', note: 'x'.repeat(300) }
      await inTransaction(edge.db, (tx) => emit(tx, [{ merchantId, objectId, kind, status: 'Done', body }], moment))
    }
  })

  /** A context of a member who has signed in. */
  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, 'developer')
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }

  test('a notification is found without scripts, and sent again', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('?lang=en'))
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Type').selectOption('CryptoInvoice')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/kind=CryptoInvoice/)
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'CryptoInvoice Done' }).waitFor()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByText('It already waits to be sent now.').waitFor()
    await page.getByRole('link', { name: 'All notifications' }).click()
    expect(await page.getByRole('table').getByRole('link').count()).toBe(3)
    await context.close()
  })

  test('an endpoint is added without scripts, and its secret is shown once', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('?lang=en'))
    await page.getByRole('link', { name: 'Additional endpoints' }).click()
    await page.getByRole('link', { name: 'Add an endpoint' }).click()
    await page.getByLabel('URL').fill('https://stock.example/hooks')
    await page.getByLabel('All, also types of later versions').uncheck()
    await page.getByLabel('Withdraw', { exact: true }).check()
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('link', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: 'https://stock.example/hooks' }).waitFor()
    expect(await page.getByText(/^whsec_/).count()).toBe(0)
    await context.close()
  })

  const refuseRequest = async (): Promise<void> => {
    const log = createRefusalLog(edge.db)
    log.note({
      merchantId: edge.merchant.id,
      keyId: null,
      at: edge.clock.ms,
      requestId: randomUUID(),
      method: 'POST',
      path: '/merchants/withdrawals/crypto',
      operation: 'createCryptoWithdrawal',
      status: 401,
      code: -1,
      reason: 'Invalid signature: check merchant-id, the private key, and that MESSAGE is built from the bytes sent',
      from: '2001:db8:1234:5678:9abc:def0:1234:5678',
    })
    await log.job.run(new AbortController().signal)
    const counts = createRequestCounts(edge.db, () => edge.clock.ms)
    const { id: merchantId } = edge.merchant
    counts.note({ merchantId, keyId: merchantId, operation: 'createCryptoExchangeWithdrawal', status: 200, ms: 1234 })
    await counts.job.run(new AbortController().signal)
  }

  test.each(LANGUAGES)('every page in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    await refuseRequest()
    for (const [name, path] of [
      ['list', '?'],
      ['filtered', '?state=exhausted&'],
      ['wrong filter', '?object=none&'],
      ['notification', '/2?'],
      ['sent again', '/2?replayed=changed&'],
      ['URL', '/url?'],
      ['saved', '?said=saved&'],
      ['endpoints', '/endpoints?'],
      ['a new endpoint', '/endpoints/new?'],
      ['an endpoint', `/endpoints/${endpoint}?`],
      ['change of an endpoint', `/endpoints/${endpoint}/change?`],
      ['API requests', '/../requests?'],
    ] as const) {
      await page.goto(at(`${path}lang=${language}`))
      await judge(name)
    }
    edge.clock.ms += 6 * 60_000
    await page.goto(at(`/url?lang=${language}`))
    await judge('URL without a proof')
    await page.locator('#field-webhook-url').fill('https://shop.example/hooks#part')
    await page.locator('form:has(#field-webhook-url) button').click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.locator('#field-webhook-url').inputValue()).toBe('https://shop.example/hooks#part')
    await judge('URL refused')
    expect(faults).toEqual([])
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })
})
