/**
 * Journeys of members through the dashboard, in real browsers and on all processes: from the mail of an invitation to
 * an exchange, a statement, a refund at the bank, the first steps, and a payment link that a payer pays. Nothing is
 * done twice, and members of another merchant see nothing.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Download, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openSignedIn } from '../browser/signed-in.ts'
import { codeOf, stepOf, type Role } from '../../server/src/people/access/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { fieldOf, PASSWORD, seedOf } from '../world/dashboard.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const DAY_MS = 86_400_000
const run = promisify(execFile)

describeWithChromium('members of a merchant', () => {
  const sandbox = useSharedSandbox()
  const visit = useChromium()
  const [mine, theirs] = [() => sandbox.merchants[0], () => sandbox.merchants[1]]
  const at = (page: string, merchantId = mine().id): string => `${sandbox.api}/app/merchants/${merchantId}/${page}`
  const until = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> => sandbox.until(what, look)
  /** The links of invitations, by mail address. */
  const links = new Map<string, string>()
  const linkTo = async (email: string): Promise<string> => {
    const mail = await until(`the invitation of ${email}`, async () => (await sandbox.mails(email))[0])
    return /https?:\S+\/app\/join\/[A-Za-z0-9_-]{43}/.exec(mail.text)![0]
  }
  const addressOf = (role: Role, merchantId: string): string => `${role}-${merchantId}@journeys.example`
  beforeAll(async () => {
    const invited: [Role, string][] = [
      ...(['owner', 'finance', 'approver', 'viewer', 'support'] as const).map((role): [Role, string] => [
        role,
        mine().id,
      ]),
      ['owner', theirs().id],
    ]
    await Promise.all(
      invited.map(async ([role, merchantId]) => {
        const email = addressOf(role, merchantId)
        await sandbox.bursar('merchant', 'invite', merchantId, email, '--role', role)
        links.set(email, await linkTo(email))
      }),
    )
  })

  /** Sessions, by mail address: a link of an invitation works once. */
  const cookies = new Map<string, string>()
  const joinBy = async (email: string, link: string): Promise<string> => {
    const page = { text: await (await fetch(link)).text() }
    const seed = seedOf(page)
    const code = codeOf(seed, stepOf(new Date()))
    const joined = await fetch(link, {
      method: 'POST',
      body: new URLSearchParams({ do: 'password', password: PASSWORD, seed: fieldOf(page, 'seed'), code }),
      headers: { origin: sandbox.api },
      redirect: 'manual',
    })
    const cookie = /^__Host-bursar=([^;]+)/.exec(joined.headers.getSetCookie()[0] ?? '')![1]!
    cookies.set(email, cookie)
    return cookie
  }
  const open = (cookie: string, options: BrowserContextOptions = {}) =>
    openSignedIn(visit, { origin: sandbox.api, cookie }, { locale: 'en-US', ...options })
  const member = async (role: Role, options: BrowserContextOptions = {}, merchantId = mine().id): Promise<Page> => {
    const email = addressOf(role, merchantId)
    const cookie = cookies.get(email) ?? (await joinBy(email, links.get(email)!))
    return (await open(cookie, options)).page
  }
  const statusOf = async (page: Page, url: string): Promise<number> => (await page.goto(url))!.status()
  const close = async (...pages: readonly Page[]): Promise<void> => {
    for (const page of pages) await page.context().close()
  }
  /** Loads a page again until it shows a text. */
  const shows = (page: Page, text: string | RegExp): Promise<true> =>
    until(`the text ${String(text)}`, async () => {
      if ((await page.getByText(text).count()) > 0) return true
      await page.reload()
      return (await page.getByText(text).count()) > 0 || undefined
    })
  const rowsOf = (page: Page, name: string): Promise<number> =>
    page.getByRole('table', { name }).locator('tbody tr').count()
  /** What the form of a button sends. */
  const fieldsOf = (page: Page, name: string): Promise<Record<string, string>> =>
    page.evaluate(
      `Object.fromEntries(new FormData([...document.forms].find(({ innerText }) => innerText.includes('${name}'))))`,
    )
  const widthOf = (page: Page): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth')

  test('an exchange is refused at a worse price, made once at a new one, and later deposits are exchanged by a rule', async () => {
    const { client } = mine()
    await sandbox.credit(mine(), 'USDT', '2000')
    const asked = { spendTicker: 'USDT', targetTicker: 'BTC', amount: '500', side: 'spend' } as const
    const priceNow = () =>
      client.exchange.estimate(asked).then(
        ({ price }) => Number(price.value),
        () => undefined,
      )
    const before = await until('a price', priceNow)
    const [page, viewer, stranger] = [
      await member('finance'),
      await member('viewer'),
      await member('owner', {}, theirs().id),
    ]
    await page.goto(at('exchange'))
    await page.locator('#exchange-spend').selectOption('USDT')
    await page.locator('#exchange-target').selectOption('BTC')
    await page.locator('#exchange-amount').fill('500')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.getByText('Valid until').waitFor()
    await sandbox.rates({ BTC: String(Math.round(before * 1.1)) })
    await until('the new price', async () => ((await priceNow()) ?? 0) > before * 1.05)
    await page.getByRole('button', { name: 'Exchange now' }).click()
    await page.getByText('The price is worse now than the one that you saw.').waitFor()
    expect(await page.locator('#exchange-amount').inputValue()).toBe('500')
    expect(await rowsOf(page, 'Exchanges')).toBe(0)
    await page.getByRole('button', { name: 'Show the price' }).click()
    const sent = await fieldsOf(page, 'Exchange now')
    await page.getByRole('button', { name: 'Exchange now' }).dblclick()
    await page.getByText('The exchange was made.').waitFor()
    expect(await rowsOf(page, 'Exchanges')).toBe(1)
    // A browser that goes back to the page of the price sends its form again.
    const again = await page.request.post(at('exchange'), { form: sent, headers: { origin: sandbox.api } })
    expect(await again.text()).toContain('The exchange was made.')
    await page.reload()
    expect(await rowsOf(page, 'Exchanges')).toBe(1)

    const tab = await page.context().newPage()
    await tab.goto(at('exchange'))
    for (const one of [page, tab]) await one.locator('#exchange-automatic').selectOption('BTC')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The automatic exchange is changed.').waitFor()
    await tab.locator('#exchange-automatic').selectOption('ETH')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Another person has changed the automatic exchange.').waitFor()
    const { address } = await client.addresses.create({ blockchain: 'ETHEREUM' })
    await sandbox.pay('ETHEREUM', 'USDT', address, '300')
    await page.goto(at('exchange'))
    await until('the automatic exchange', async () => {
      await page.reload()
      return (await rowsOf(page, 'Exchanges')) === 2 || undefined
    })
    await page.getByText('Payments that name no other asset are exchanged to BTC').waitFor()

    await viewer.goto(at('exchange'))
    expect([await rowsOf(viewer, 'Exchanges'), await viewer.locator('#exchange-spend').count()]).toEqual([2, 0])
    expect(await statusOf(stranger, at('exchange'))).toBe(404)
    await stranger.goto(at('exchange', theirs().id))
    expect(await rowsOf(stranger, 'Exchanges')).toBe(0)
    await sandbox.rates({ BTC: String(Math.round(before)) })
    await close(page, viewer, stranger)
  })

  const textOf = async (download: Download): Promise<string> => readFileSync(await download.path(), 'latin1')

  test('a month is read as of a day, taken as CSV and PDF, and mailed to the accountant', async () => {
    await sandbox.credit(theirs(), 'USDC', '700')
    const page = await member('owner', {}, theirs().id)
    const stranger = await member('finance')
    await page.goto(at('settings', theirs().id))
    await page.locator('[name=setting-email]').fill('accountant@journeys.example')
    await page.locator('[name=setting-monthlyMails]').selectOption('true')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved.').waitFor()
    const [{ offset }] = (await sandbox.query<{ offset: number }>(
      'select offset_ms::float8 as offset from business_clock',
    )) as [{ offset: number }]
    const now = new Date(Date.now() + Number(offset))
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 6)
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
    await sandbox.advance(end - now.getTime())
    await sandbox.kill('worker')
    await sandbox.start('worker')

    await page.goto(at('balances', theirs().id))
    await page.getByRole('link', { name: 'USDC' }).click()
    await page.getByLabel('To day').fill(day(now.getTime()))
    await page.getByRole('button', { name: 'Apply' }).click()
    expect(await page.getByText('Closing balance').locator('xpath=following::dd[1]').innerText()).toMatch(/^700/)
    const files = async (press: () => Promise<void>): Promise<Download> => {
      const [download] = await Promise.all([page.waitForEvent('download'), press()])
      return download
    }
    const csv = await files(() => page.getByRole('link', { name: 'Export CSV' }).click())
    expect((await textOf(csv)).trim().split('\n')).toHaveLength(2)
    expect(await textOf(csv)).toMatch(/,USDC,700,700,/)
    const pdf = await files(() => page.getByRole('button', { name: 'Statement as PDF' }).click())
    expect([pdf.suggestedFilename(), (await textOf(pdf)).slice(0, 5)]).toEqual([
      `statement-USDC-${day(now.getTime()).slice(0, 7)}.pdf`,
      '%PDF-',
    ])
    await page.getByLabel('To day').fill(day(now.getTime() - DAY_MS))
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('No entries in these days').waitFor()

    const mail = await until('the mail of the month', async () =>
      (await sandbox.mails('accountant@journeys.example')).find(({ text }) => text.includes('USDC')),
    )
    expect(mail.text).toContain('700')
    expect(mail.text).toContain(at('balances', theirs().id))
    for (const one of ['balances/USDC', 'balances/USDC/export', 'balances/USDC/month'])
      expect(await statusOf(stranger, at(one, theirs().id))).toBe(404)
    await close(page, stranger)
  })

  test('a card payment is refunded by two people, once, until the bank has it and the timeline shows it', async () => {
    const { client } = mine()
    // The money of a card payment becomes available days later; the refund is paid from the balance.
    await sandbox.credit(mine(), 'UAH', '100')
    const { id } = await client.invoices.fiat.create({
      name: 'Order 7',
      amount: { value: '100', ticker: 'UAH' },
      email: 'payer@journeys.example',
    })
    await sandbox.payInvoice(id, 'exact')
    await sandbox.notified(mine(), { id, status: 'Done' })
    const [maker, checker, viewer] = [await member('finance'), await member('approver', PHONE), await member('viewer')]
    const stranger = await member('owner', {}, theirs().id)
    const path = `payments/card/${id}`
    await viewer.goto(at(path))
    await viewer.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await viewer.getByRole('link', { name: /^Refund the card payment/ }).count()).toBe(0)
    await maker.goto(at('payments'))
    await maker.getByRole('link', { name: 'Order 7' }).first().click()
    await maker.getByRole('link', { name: /^Refund the card payment 424242/ }).click()
    const form = maker.url()
    const tab = await maker.context().newPage()
    await tab.goto(form)
    await maker.getByLabel('Amount, UAH').fill('1,500')
    await maker.getByLabel('Reason, for your team').fill('a broken cup')
    await maker.getByRole('button', { name: 'Request the refund' }).click()
    await maker.getByText('Type an amount such as 12.50.').waitFor()
    for (const one of [maker, tab]) {
      await one.getByLabel('Amount, UAH').fill('40,5')
      await one.getByLabel('Reason, for your team').fill('a broken cup')
    }
    await maker.getByRole('button', { name: 'Request the refund' }).dblclick()
    await maker.getByText('Waits for approval').first().waitFor()
    const request = maker.url()
    await tab.getByRole('button', { name: 'Request the refund' }).click()
    await tab.getByText('A request for this refund is open.').first().waitFor()

    await checker.goto(at('refunds'))
    await checker.getByRole('table').first().getByRole('link').first().click()
    await checker.getByText('a broken cup').waitFor()
    expect(await widthOf(checker)).toBe(PHONE.viewport.width)
    await checker.getByRole('button', { name: 'Approve and pay' }).dblclick()
    // The page of the second click says that it came too late.
    await checker
      .getByText(/The refund is being made|decided already/)
      .first()
      .waitFor()
    await maker.goto(at(path))
    await shows(maker, /Refund of .*40[.,]50.*: done/)
    const [{ reference }] = (await sandbox.query<{ reference: string }>(
      "select id as reference from payments where invoice_id = $1 and state = 'credited'",
      [id],
    )) as [{ reference: string }]
    expect((await sandbox.bankFind(reference)).lines).toHaveLength(2)
    for (const url of [at(path), form, request]) expect(await statusOf(stranger, url)).toBe(404)
    await close(maker, checker, viewer, stranger)
  })

  test('a new merchant makes its first steps: the snippets run as they are, and each step is done when it was done', async () => {
    const made = await sandbox.bursar(
      'merchant',
      'create',
      '--name',
      'New shop',
      '--url',
      'https://new.example',
      '--json',
    )
    const { id, privateKey } = JSON.parse(made.text) as { id: string; privateKey: string }
    const [boss, colleague] = [`boss-${id}@journeys.example`, `dev-${id}@journeys.example`]
    await sandbox.bursar('merchant', 'invite', id, boss, '--role', 'owner')
    const { page } = await open(await joinBy(boss, await linkTo(boss)))
    const open3 = async (): Promise<number> => page.getByText('open', { exact: true }).count()
    await page.goto(at('home', id))
    expect(await open3()).toBe(3)
    const snippet = async (name: string): Promise<string> => {
      await page.getByText(name, { exact: true }).click()
      return page.locator('details', { hasText: name }).locator('pre').innerText()
    }
    const curl = (await snippet('With curl')).replace('KEY=...', `KEY=${privateKey}`)
    const sdk = await snippet('With the SDK')
    await page.setViewportSize(PHONE.viewport)
    expect(await widthOf(page)).toBe(PHONE.viewport.width)
    const withCurl = await run('bash', ['-euc', curl.replace(/^curl /m, 'curl --silent --fail-with-body ')])
    expect(JSON.parse(withCurl.stdout)).toMatchObject({ url: expect.stringContaining('/invoices/crypto/') })
    const env = { ...process.env, BURSAR_PRIVATE_KEY: privateKey }
    const withSdk = await run(process.execPath, ['--input-type=module', '--eval', sdk], { env })
    expect(await statusOf(page, withSdk.stdout.trim())).toBe(200)

    await page.goto(at('home', id))
    expect(await open3()).toBe(2)
    await page.getByRole('link', { name: 'Set the URL of your webhooks' }).click()
    await page.getByLabel('URL', { exact: true }).fill('https://new.example/hooks')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The URL is saved.').waitFor()
    await page.goto(at('home', id))
    expect(await open3()).toBe(1)
    await page.getByRole('link', { name: 'Invite a colleague' }).click()
    await page.locator('[name=invitee]').fill(colleague)
    await page.locator('[name=invitee-role]').selectOption('developer')
    await page.locator('form:has([name=invitee]) button').dblclick()
    await page.getByText(colleague).first().waitFor()
    const { page: second } = await open(await joinBy(colleague, await linkTo(colleague)), PHONE)
    expect(await sandbox.mails(colleague)).toHaveLength(1)
    await page.goto(at('home', id))
    await page.getByRole('heading', { name: 'Needs you' }).waitFor()
    expect(await page.getByText('First steps').count()).toBe(0)
    await second.goto(at('home', id))
    expect(await second.getByText('First steps').count()).toBe(0)
    expect(await widthOf(second)).toBe(PHONE.viewport.width)
    const stranger = await member('owner')
    for (const one of ['home', 'team']) expect(await statusOf(stranger, at(one, id))).toBe(404)
    await close(page, second, stranger)
  })

  test('a payment link is made and printed on a phone, paid once by a payer, and seen in the payments', async () => {
    const [page, viewer] = [await member('support', PHONE), await member('viewer', PHONE)]
    const stranger = await member('owner', {}, theirs().id)
    await viewer.goto(at('links'))
    expect(await viewer.getByRole('link', { name: 'New payment link' }).count()).toBe(0)
    await page.goto(at('links'))
    await page.getByRole('link', { name: 'New payment link' }).click()
    await page.getByLabel('Name').fill('Library')
    await page.getByLabel('Currency, and how it is paid').selectOption('crypto:USDC')
    await page.getByLabel('Smallest amount').fill('5')
    await page.getByRole('button', { name: 'Create the link' }).dblclick()
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    const link = page.url()
    const qr = page.getByRole('img', { name: 'QR code of the payment page' })
    expect((await qr.boundingBox())!.width).toBeGreaterThan(150)
    expect(await widthOf(page)).toBe(PHONE.viewport.width)
    const url = await page.getByLabel('Link', { exact: true }).inputValue()
    await page.getByRole('link', { name: 'Print' }).click()
    await page.getByText('Scan the code to pay').waitFor()
    expect((await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
    await page.goto(at('links'))
    expect(await rowsOf(page, 'Payment links')).toBe(1)

    const payer = await (await visit({ ...PHONE, locale: 'en-US' })).newPage()
    await payer.goto(url)
    await payer.getByLabel('Amount, USDC').fill('7,5')
    await payer.getByRole('button', { name: 'Continue' }).dblclick()
    await payer.waitForURL(/\/invoices\/crypto\//)
    const invoice = /\/invoices\/crypto\/([0-9a-f-]{36})/.exec(payer.url())![1]!
    expect(await widthOf(payer)).toBe(PHONE.viewport.width)
    await payer.goBack()
    await payer.getByLabel('Amount, USDC').waitFor()
    await payer.goForward()
    await sandbox.payInvoice(invoice, 'exact')
    await sandbox.notified(mine(), { id: invoice, status: 'DONE' })
    await payer.reload()
    expect(await payer.locator('h1').innerText()).toBe('Paid')

    await page.goto(link)
    await shows(page, 'Paid invoices: 1')
    await page.getByRole('link', { name: 'All payments from this link' }).click()
    await page.waitForURL(/link=/)
    expect(await page.getByRole('table').getByRole('link').count()).toBe(1)
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByText('Confirmed and credited:').waitFor()
    expect(await widthOf(page)).toBe(PHONE.viewport.width)
    for (const one of [link, page.url()]) expect(await statusOf(stranger, one)).toBe(404)
    await close(page, viewer, stranger, payer)
  })
})
