/**
 * Journeys of members who pay out, from the first page to the end, in real browsers: a file of payouts with a wrong
 * line, a policy and an address book, and a session that ends in the middle. Nothing is paid twice.
 */
import type { Page } from 'playwright-core'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { runRefunds } from '../../server/src/app/composition/test-refunds.ts'
import type { Role } from '../../server/src/people/access/index.ts'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { catalogueOn } from '../world/catalogue.ts'
import { PASSWORD, useDashboard } from '../world/dashboard.ts'
import { giveMoney } from '../world/ledger.ts'
import { makeMerchant } from '../world/merchant.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { openSignedIn } from './signed-in.ts'

const FIRST = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const SECOND = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry'
const PHONE = { viewport: { width: 390, height: 844 } }
const HOUR_MS = 3_600_000

describeWithChromium('payouts from the first page to the end', () => {
  const visit = useChromium()
  const { edge, join, codeAt } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string, merchantId = edge.merchant.id): string => `${origin()}/app/merchants/${merchantId}/${page}`
  const freshFee = (): Promise<void> =>
    storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)
  const paid = async () =>
    (
      await sql<{ to: string; units: bigint }>`select to_address as "to", units from withdrawals
        where merchant_id = ${edge.merchant.id} order by units`.execute(edge.db)
    ).rows

  const runtimeOf = () => createTestRuntime(edge.db, () => edge.clock.ms)
  const placing = (): Promise<void> => runRefunds(runtimeOf(), catalogueOn('BITCOIN', { BTC: { decimals: 8 } }))

  beforeAll(async () => {
    const runtime = runtimeOf()
    await giveMoney(runtime, { merchantId: edge.merchant.id, asset: 'BTC' }, 1_000_000_000n)
  })

  const signedIn = async (role: Role, options = {}, merchantId = edge.merchant.id) => {
    const { browser, email, seed } = await join(undefined, role, merchantId)
    const opened = await openSignedIn(
      visit,
      { origin: origin(), cookie: browser.cookie },
      { locale: 'en-US', ...options },
    )
    return { ...opened, email, seed }
  }
  const prove = async (page: Page, seed: Buffer): Promise<void> => {
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Code').fill(codeAt(seed))
    await page.getByRole('button', { name: 'Confirm' }).click()
  }
  const upload = async (page: Page, lines: readonly string[]): Promise<void> => {
    const text = ['asset,network,address,amount,reference', ...lines].join('\n')
    await page.getByLabel('File').setInputFiles({ name: 'june.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByRole('button', { name: 'Check the file' }).click()
  }

  test('a file with a wrong line is mended, requested, approved on a phone, and paid once', async () => {
    await freshFee()
    const [maker, checker] = [await signedIn('finance'), await signedIn('approver', PHONE)]
    const other = await signedIn('owner', {}, (await makeMerchant(edge.db, edge.clock.ms)).id)
    const { page } = maker
    await page.goto(at('payouts'))
    await page.getByRole('link', { name: 'Upload a file' }).click()
    const good = [`BTC,BITCOIN,${FIRST},0.25,invoice 1`, `BTC,BITCOIN,${SECOND},0.5,invoice 2`]
    await upload(page, [good[0]!, 'BTC,BITCOIN,nowhere,0.5,invoice 2'])
    await page.getByText('Nothing was stored. Lines with problems: 1.').waitFor()
    await page.getByText('This address can not be paid.').waitFor()
    await upload(page, good)
    await page.getByRole('button', { name: 'Request the payout' }).dblclick()
    await page.getByText('Waits for approval').first().waitFor()
    const request = page.url()

    await checker.page.goto(at('payouts'))
    await checker.page.getByRole('link', { name: 'june.csv' }).first().click()
    await checker.page.getByText(maker.email).waitFor()
    const tab = await checker.context.newPage()
    await tab.goto(request)
    const approve = { name: 'Approve and pay' } as const
    await Promise.all([checker.page.getByRole('button', approve).dblclick(), tab.getByRole('button', approve).click()])
    // Which of the three answers a page shows depends on their order: one approved, the others came too late.
    await expect
      .poll(async () => (await sql`select from payout_requests where state = 'placing'`.execute(edge.db)).rows.length)
      .toBe(1)
    for (const one of [checker.page, tab])
      await one
        .getByText(/being made|decided already/)
        .first()
        .waitFor()
    // Two workers at once make the payouts of the file.
    await Promise.all([placing(), placing()])
    expect(await paid()).toEqual([
      { to: FIRST, units: 25_000_000n },
      { to: SECOND, units: 50_000_000n },
    ])
    await checker.page.goto(request)
    await checker.page.getByText('Approved', { exact: true }).waitFor()
    expect(await checker.page.getByRole('button', approve).count()).toBe(0)
    expect(await checker.page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width)
    await page.goto(request)
    await page.getByText(checker.email).first().waitFor()
    await page.goto(at('payouts'))
    expect(await page.getByRole('table', { name: 'Requests' }).getByRole('link').count()).toBe(1)
    expect((await other.page.goto(request))!.status()).toBe(404)
    for (const { context } of [maker, checker, other]) await context.close()
  })

  test('an owner limits payouts to the address book; a new address waits, and others are refused', async () => {
    const owner = await signedIn('owner')
    const { page, seed } = owner
    edge.clock.ms += 6 * 60_000
    await page.goto(at('payouts/policy'))
    await page.getByLabel('Addresses', { exact: true }).selectOption({ label: 'Only addresses of the address book' })
    await page.getByLabel('Waiting time of new addresses, hours').fill('30')
    await page.getByLabel('Most in 24 hours').first().fill('3,5')
    await page.getByRole('button', { name: 'Save the policy' }).click()
    await page.getByText('First confirm that it is you.').waitFor()
    await prove(page, seed)
    // The proof returns to the page with the typed rules.
    expect(await page.getByLabel('Most in 24 hours').first().inputValue()).toBe('3,5')
    expect(await page.getByLabel('Waiting time of new addresses, hours').inputValue()).toBe('30')
    await page.getByRole('button', { name: 'Save the policy' }).click()
    await page.getByText('Done.').waitFor()

    await page.goto(at('payouts/addresses'))
    await page.getByLabel('Name').fill('Supplier')
    await page.getByLabel('Address', { exact: true }).fill(FIRST)
    await page.getByRole('button', { name: 'Add the address' }).click()
    await page.getByText('known from').waitFor()

    const before = await paid()
    const ask = async (page: Page, to: string): Promise<void> => {
      await page.goto(at('payouts/new'))
      await page.getByLabel('Asset and network').selectOption('BTC/BITCOIN')
      await page.getByLabel('Address', { exact: true }).fill(to)
      await page.getByLabel('Amount', { exact: true }).fill('1')
      await page.getByRole('button', { name: 'Check the payout' }).click()
      await page.getByRole('button', { name: 'Request the payout' }).click()
    }
    await freshFee()
    const early = await signedIn('finance')
    for (const to of [SECOND, FIRST]) {
      await ask(early.page, to)
      await early.page.getByText('The policy allows addresses of the address book only').waitFor()
    }
    edge.clock.ms += 30.1 * HOUR_MS
    await freshFee()
    const [maker, checker] = [await signedIn('finance'), await signedIn('approver')]
    await ask(maker.page, FIRST)
    await maker.page.getByText('Waits for approval').waitFor()
    await checker.page.goto(maker.page.url())
    await checker.page.getByRole('button', { name: 'Approve and pay' }).click()
    await checker.page.getByText('Approved. The withdrawal was made.').waitFor()
    expect(await paid()).toEqual([...before, { to: FIRST, units: 100_000_000n }])
    for (const { context } of [owner, early, maker, checker]) await context.close()
  })

  test('a session that ends in the middle of a form costs no typed text, and the payout is requested once', async () => {
    await freshFee()
    const { page, context, email, seed } = await signedIn('finance', PHONE)
    const requests = async (): Promise<number> =>
      Number(
        (
          await sql<{
            n: number
          }>`select count(*) as n from payout_requests where merchant_id = ${edge.merchant.id}`.execute(edge.db)
        ).rows[0]!.n,
      )
    const before = await requests()
    await page.goto(at('payouts/new'))
    await page.getByLabel('Asset and network').selectOption('BTC/BITCOIN')
    await page.getByLabel('Address', { exact: true }).fill(FIRST)
    await page.getByLabel('Amount', { exact: true }).fill('0.125')
    edge.clock.ms += 2 * HOUR_MS
    await freshFee()
    await page.getByRole('button', { name: 'Check the payout' }).click()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Code').fill(codeAt(seed))
    await page.getByRole('button', { name: 'Sign in', exact: true }).last().click()
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('0.125')
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe(FIRST)
    await page.getByRole('button', { name: 'Check the payout' }).click()
    await page.getByRole('button', { name: 'Request the payout' }).click()
    await page.getByText('Waits for approval').waitFor()
    expect(await requests()).toBe(before + 1)
    await context.close()
  })
})
