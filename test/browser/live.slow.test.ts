/** The scripts of the page, in a real browser: it follows its invoice, counts, copies, goes on. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { servePages, type PageServer } from '../../tools/checkout/serve.ts'
import { VIEWS } from '../world/page-views.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'

describeWithChromium('an open page', () => {
  const visit = useChromium()
  let server: PageServer
  const show = (name: string): void => {
    server.views.set('page', VIEWS[name]!)
    server.notify('page')
  }
  beforeAll(async () => {
    server = await servePages(new Map())
  })
  afterAll(() => server.close())

  test('shows a change without being loaded again, and says it', async () => {
    show('crypto-pay')
    const context = await visit()
    const page = await context.newPage()
    await page.goto(`${server.url}/page?lang=en`)
    await page.evaluate('window.same = true')
    show('crypto-partly-paid')
    await page.getByRole('heading', { name: 'Send the rest' }).waitFor()
    show('crypto-confirming')
    await page.getByRole('heading', { name: 'Payment received' }).waitFor()
    show('crypto-paid')
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    expect(await page.evaluate('window.same')).toBe(true)
    expect(await page.locator('#said').textContent()).toBe('Paid')
    expect(await page.title()).toBe('Paid · Pay Kava & Co')
    await context.close()
  })

  test('does not take away text that is being typed', async () => {
    show('crypto-claim')
    const context = await visit()
    const page = await context.newPage()
    await page.goto(`${server.url}/page?lang=en`)
    await page.getByLabel('Your own address').fill('TQja')
    show('crypto-paid')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await page.getByLabel('Your own address').inputValue()).toBe('TQja')
    await context.close()
  })

  test('counts down and copies', async () => {
    show('crypto-pay')
    const context = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${server.url}/page?lang=en`)
    const shown = await page.locator('.left b [data-left]').textContent()
    expect(shown).toMatch(/^00:1\d:\d\d$/)
    await expect.poll(() => page.locator('.left b [data-left]').textContent()).not.toBe(shown)
    expect(await page.locator('.left b [data-left]').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Copy the address' }).click()
    await expect.poll(() => page.locator('#said').textContent()).toBe('Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('TQjaZ9FD473QBTdUzMLmSyoGB6Yz1CGpux')
    await context.close()
  })

  /** A bank that stores its requests and answers when a test lets it. */
  const openBank = async (answering: Promise<void> = Promise.resolve()) => {
    const heard: string[] = []
    const bank = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        if (request.url === '/checkout') heard.push(`${request.method} ${new URLSearchParams(body).get('signature')}`)
        void answering.then(() => response.setHeader('content-type', 'text/html').end('<h1>The bank</h1>'))
      })
    })
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
    const leaving = VIEWS['fiat-leaving']!
    if (leaving.state.at !== 'leaving') throw new Error('a view that leaves')
    const view = {
      ...leaving,
      state: { ...leaving.state, url: `http://127.0.0.1:${(bank.address() as AddressInfo).port}/checkout` },
    }
    onTestFinished(() => {
      bank.closeAllConnections()
      bank.close()
    })
    return { heard, view }
  }

  test('goes on to the acquirer with a form of its own', async () => {
    show('fiat-waiting')
    const context = await visit()
    const page = await context.newPage()
    const { heard, view } = await openBank()
    await page.goto(`${server.url}/page?lang=en`)
    server.views.set('page', view)
    server.notify('page')
    await page.getByRole('heading', { name: 'The bank', exact: true }).waitFor()
    expect(heard).toEqual(['POST QvJD5u9Fg55PCx'])
    await context.close()
  })

  test('on its way to the acquirer is not held back by changes of the invoice', async () => {
    let answer = (): void => {}
    const { heard, view } = await openBank(new Promise((resolve) => (answer = resolve)))
    server.views.set('page', view)
    const context = await visit()
    const page = await context.newPage()
    // Not before the page leaves: until then it may ask for its newest state.
    await page.addInitScript(`const { submit } = HTMLFormElement.prototype
      HTMLFormElement.prototype.submit = function () {
        submit.call(this)
        setInterval(() => document.dispatchEvent(new Event('visibilitychange')), 100)
      }`)
    const asked: string[] = []
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await page.goto(`${server.url}/page?lang=en`, { waitUntil: 'commit' })
    await expect.poll(() => heard).toEqual(['POST QvJD5u9Fg55PCx'])
    show('fiat-failed')
    show('fiat-checking')
    await new Promise((resolve) => setTimeout(resolve, 500))
    answer()
    await page.getByRole('heading', { name: 'The bank', exact: true }).waitFor()
    expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(['/page', '/checkout'])
    expect(heard).toHaveLength(1)
    await context.close()
  })
})
