/** Pages of the dashboard that are open while payments arrive, in a real browser. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { removeMember, nowOf, type Role } from '../../server/src/people/access/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { giveAddress } from '../world/address.ts'
import { useDashboard } from '../world/dashboard.ts'
import { catalogue, createDepositWorld, pay, START, type World } from '../world/deposits.ts'
import { TEST_KEYS } from '../world/keys.ts'
import { makeMerchant } from '../world/merchant.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

/** A change is read within 2 s, and shown at most 5 s after the change before it. */
const PATIENCE = { timeout: 30_000 }

describeWithChromium('an open page of the dashboard', () => {
  const visit = useChromium()
  const { edge, memberOf, deps } = useDashboard({ ofPort: true, catalogue })
  let world: World
  let merchantId = ''
  let height = 100
  beforeAll(async () => {
    world = createDepositWorld(edge.pool)
    merchantId = (await makeMerchant(edge.db, START)).id
  })
  afterAll(() => world.reset())

  /** A payment to a new address of the merchant, seen in a block. @returns credits it */
  const paid = async (owner = merchantId): Promise<() => Promise<void>> => {
    const wanted = { merchantId: owner, blockchain: 'BITCOIN', meta: null } as const
    const address = await giveAddress(world.runtime, TEST_KEYS, wanted)
    await world.mine('BITCOIN', height, [pay(address, 10_000_000n)])
    height += 1
    world.now += 60_000
    return () => world.settle('BITCOIN', height + 10, height + 10)
  }
  const at = (page: string): string => `http://localhost:${edge.port}/app/merchants/${merchantId}/${page}?lang=en`
  const signedIn = async (role: Role, options: Parameters<Visit>[0] = {}) => {
    const member = await memberOf(merchantId, role)
    const origin = `http://localhost:${edge.port}`
    const opened = await openSignedIn(visit, { origin, cookie: member.cookie }, { locale: 'en-US', ...options })
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => void asked.push(`${request.resourceType()} ${new URL(request.url()).pathname}`))
    const kept = async (): Promise<boolean> => (await page.evaluate('window.same')) === true
    const show = async (name: string): Promise<void> => {
      await page.goto(at(name))
      await page.evaluate('window.same = true')
    }
    return { ...opened, member, asked, kept, show }
  }
  const rows = (page: Page) => page.locator('[data-region] tbody tr')
  const said = (page: Page) => page.locator('#said').textContent()

  test('shows a deposit when it is seen and when it is credited, without being loaded again', async () => {
    const { context, page, kept, show } = await signedIn('viewer')
    const { faults, said: errors, judge } = judgeOf(page)
    await show('payments')
    const before = await rows(page).count()
    const credit = await paid()
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(before + 1)
    await expect.poll(() => said(page), PATIENCE).toBe('The page shows a change.')
    expect(await rows(page).first().textContent()).not.toContain('Paid')
    await credit()
    await expect.poll(() => rows(page).first().textContent(), PATIENCE).toContain('Paid')
    expect(await kept()).toBe(true)
    await judge('payments after a change')
    expect([faults, errors]).toEqual([[], []])
    await context.close()
  })

  test('shows the new steps of a payment, and the new balance', async () => {
    const credit = await paid()
    const [one, home] = [await signedIn('viewer'), await signedIn('viewer')]
    await one.show('payments')
    await one.page.getByRole('table').getByRole('link').first().click()
    await one.page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await one.page.evaluate('window.same = true')
    await home.show('home')
    const sum = home.page.locator('#live-balances')
    const before = await sum.textContent()
    await credit()
    await one.page.getByText('Confirmed and credited').waitFor(PATIENCE)
    await expect.poll(() => sum.textContent(), PATIENCE).not.toBe(before)
    expect([await one.kept(), await home.kept()]).toEqual([true, true])
    await one.context.close()
    await home.context.close()
  })

  test('leaves alone a typed form, a selection and the focus', async () => {
    const { context, page, asked, kept, show } = await signedIn('viewer')
    await show('payments')
    const shown = await rows(page).count()
    // A form within a region, as pages may have; the filters are outside of regions.
    await page.evaluate(`document.querySelector('[data-region]').insertAdjacentHTML('beforeend', '<input id="typed">')`)
    await page.locator('#by-q').fill('half a se')
    await page.locator('#typed').fill('half a reason')
    await page.locator('#typed').blur()
    const credit = await paid()
    const fetched = (): number => asked.filter((one) => one.startsWith('fetch ')).length
    await expect.poll(fetched, PATIENCE).toBe(1)
    await credit()
    await expect.poll(fetched, PATIENCE).toBe(2)
    expect([await rows(page).count(), await page.locator('#typed').inputValue()]).toEqual([shown, 'half a reason'])
    // The region is replaced once nobody uses it any more.
    await page.locator('#typed').fill('')
    await page.locator('#typed').blur()
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(shown + 1)
    expect(await page.locator('#by-q').inputValue()).toBe('half a se')

    const link = page.getByRole('table').getByRole('link').first()
    const href = await link.getAttribute('href')
    await link.focus()
    await (
      await paid()
    )()
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(shown + 2)
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(href)

    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('[data-region] tbody tr'))`)
    const text = await page.evaluate('getSelection().toString()')
    const asks = fetched()
    await (
      await paid()
    )()
    await expect.poll(fetched, PATIENCE).toBeGreaterThan(asks)
    expect([await rows(page).count(), await page.evaluate('getSelection().toString()')]).toEqual([shown + 2, text])
    expect(await kept()).toBe(true)
    await context.close()
  })

  test('asks for nothing when another merchant is paid, or while it is hidden', async () => {
    const other = (await makeMerchant(edge.db, START)).id
    const { context, page, asked, show } = await signedIn('viewer')
    await show('payments')
    const streams = (): number => asked.filter((one) => one.startsWith('eventsource ')).length
    const fetched = (): number => asked.filter((one) => one.startsWith('fetch ')).length
    await expect.poll(streams, PATIENCE).toBe(1)
    const shown = await rows(page).count()
    await (
      await paid(other)
    )()
    const hide = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await hide(true)
    await (
      await paid()
    )()
    expect([fetched(), await rows(page).count()]).toEqual([0, shown])
    await hide(false)
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(shown + 1)
    expect([streams(), fetched()]).toEqual([2, 1])
    await context.close()
  })

  test('stays as it is when the member is removed, and without scripts', async () => {
    const plain = await signedIn('viewer', { javaScriptEnabled: false })
    await plain.page.goto(at('payments'))
    const { context, page, asked, member, kept, show } = await signedIn('viewer')
    await show('payments')
    const shown = await rows(page).count()
    await expect.poll(() => asked.some((one) => one.startsWith('eventsource ')), PATIENCE).toBe(true)
    await inTransaction(edge.db, (tx) =>
      removeMember(tx, { merchantId, email: member.email, actor: 'cli:test' }, nowOf(deps.runtime)),
    )
    await (
      await paid()
    )()
    // The stream ends; it is asked for again, and refused.
    const streams = (): number => asked.filter((one) => one.startsWith('eventsource ')).length
    await expect.poll(streams, PATIENCE).toBe(2)
    expect([await rows(page).count(), await kept(), await rows(plain.page).count()]).toEqual([shown, true, shown])
    await plain.context.close()
    await context.close()
  })
})
