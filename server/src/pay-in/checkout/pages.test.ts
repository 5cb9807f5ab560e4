import { request as send } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { versionOf, type FormProblem, type PageView } from '@bursar/checkout'
import { VIEWS } from '../../../../test/world/page-views.ts'
import { listen, type Listener } from '../../platform/db/index.ts'
import { useEdge } from '../../../../test/world/edge.ts'
import {
  createLivePages,
  invoicePageRoutes,
  problemPage,
  type InvoicePages,
  type SentForm,
  type Visit,
} from './index.ts'

const ID = VIEWS['crypto-pay']!.id
const PATH = `/invoices/crypto/${ID}`
const CHANNEL = 'checkout_test'

let view: PageView | undefined
let problems: FormProblem[] = []
const visits: Visit[] = []
const forms: SentForm[] = []
const pages: InvoicePages = {
  kind: 'crypto',
  channel: CHANNEL,
  find: async (id, visit) => {
    visits.push(visit)
    return id === ID ? view : undefined
  },
  after: (_form, visit) => visit,
  act: async (_id, form) => {
    forms.push(form)
    return problems
  },
  receipt: async (id) => (id === ID ? { name: 'receipt "1".pdf', pdf: Buffer.from('%PDF-1.7') } : undefined),
}
const live = createLivePages(pino({ level: 'silent' }))
const edge = useEdge({
  pages: {
    routes: invoicePageRoutes(pages, live),
    problem: problemPage,
    postsPerMinute: 10_000,
    getsPerMinute: 10_000,
  },
})
let listener: Listener
beforeAll(async () => {
  listener = listen({ url: edge.pool.options.connectionString! }, [CHANNEL], live)
})
afterAll(async () => {
  await listener.close()
  live.close()
})
beforeEach(() => {
  view = VIEWS['crypto-pay']
  problems = []
  visits.length = 0
  forms.length = 0
})

const browser = ['accept', 'text/html']
const post = (body: string, query = '', type = 'application/x-www-form-urlencoded') =>
  edge.raw('POST', `${PATH}${query}`, [...browser, 'content-type', type], body)

describe('the page of an invoice', () => {
  test('without a choice of its reader is in the language of the invoice', async () => {
    view = { ...VIEWS['crypto-pay']!, language: 'kk' }
    const languageOf = async (query: string): Promise<string | undefined> =>
      /<html lang="(\w+)"/.exec(
        (await edge.raw('GET', `${PATH}${query}`, [...browser, 'accept-language', 'ru'])).text,
      )?.[1]
    expect([await languageOf(''), await languageOf('?lang=uk'), await languageOf('?lang=de')]).toEqual([
      'kk',
      'uk',
      'ru',
    ])
    const sent = await post('do=proceed')
    expect(sent.headers['location']).toMatch(/[?&]lang=kk$/)
  })

  test('is shown in the language of its reader, and is not stored or framed by others', async () => {
    const answer = await edge.raw('GET', PATH, [...browser, 'accept-language', 'kk,en;q=0.5'])
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' },
    })
    expect(answer.text).toContain('lang="kk"')
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(String(answer.headers['content-security-policy'])).not.toContain('unsafe')
    expect((await edge.raw('GET', `${PATH}?lang=uk&claim=abc&returned=1`, browser)).text).toContain('lang="uk"')
    await edge.raw('GET', `${PATH}?fee=${'1'.repeat(40)}`, browser)
    expect(visits.at(-1)).toMatchObject({ fee: '1'.repeat(34) })
    await edge.raw('GET', `${PATH}?lang=uk&claim=abc&returned=1`, browser)
    expect(visits.at(-1)).toEqual({ language: 'uk', claim: 'abc', returned: true, rest: false, fee: undefined })
  })

  test('of an unknown invoice is a readable 404, for any id', async () => {
    for (const id of ['123e4567-e89b-42d3-a456-426614174000', 'nonsense', '%3Cscript%3E', "'or'1"]) {
      const answer = await edge.raw('GET', `/invoices/crypto/${id}`, browser)
      expect(answer).toMatchObject({ status: 404 })
      expect(answer.text).toContain('Page not found')
    }
  })

  test("lets its form go to the acquirer's host alone", async () => {
    view = VIEWS['fiat-leaving']
    expect((await edge.raw('GET', PATH, browser)).headers['content-security-policy']).toContain(
      "form-action 'self' https://www.liqpay.example;",
    )
  })

  test('gives the receipt', async () => {
    expect(await edge.raw('GET', `${PATH}/receipt.pdf`, browser)).toMatchObject({
      status: 200,
      text: '%PDF-1.7',
      headers: { 'content-type': 'application/pdf', 'content-disposition': 'inline; filename="receipt1.pdf"' },
    })
  })
})

describe('a form of the page', () => {
  test('is handed over as it was typed, and the payer is sent back to the page', async () => {
    view = { ...VIEWS['crypto-claim']! }
    const answer = await post(
      'do=refund&address=+T1+&email=a%40b.example&value=1%2C5&choice=USDT%3ATRON&more=x',
      '?lang=ru&claim=pT1_2n',
    )
    expect(answer).toMatchObject({ status: 303, headers: { location: `${PATH}?claim=pT1_2n&lang=ru` } })
    expect(forms).toEqual([{ verb: 'refund', address: 'T1', email: 'a@b.example', value: '1,5', choice: 'USDT:TRON' }])
  })

  test('that is refused comes back with the values that were typed', async () => {
    view = VIEWS['crypto-choose']
    problems = [{ field: 'email', why: 'malformed' }]
    const answer = await post('do=proceed&email=%22%3E%3Cscript%3E&choice=BTC%3ABITCOIN')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;"')
    expect(answer.text).toMatch(/value="BTC:BITCOIN" required checked/)
    expect(answer.text).toContain('role="alert"')
  })

  test('whose invoice has changed meanwhile shows its present state', async () => {
    view = VIEWS['crypto-expired']
    problems = [{ field: 'form', why: 'gone' }]
    const answer = await post('do=proceed')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('The invoice has changed')
    expect(answer.text).toContain('This invoice has expired')
  })

  test('of another site does nothing', async () => {
    for (const [body, type] of [
      ['orderReference=1', 'application/x-www-form-urlencoded'],
      ['do=drop', 'application/x-www-form-urlencoded'],
      ['do=proceed', 'text/plain'],
      ['{"do":"proceed"}', 'application/json'],
      ['', 'application/x-www-form-urlencoded'],
    ] as const) {
      expect(await post(body, '', type)).toMatchObject({ status: 303, headers: { location: `${PATH}?lang=en` } })
    }
    expect(forms).toEqual([])
    expect((await post(`do=proceed&email=${'x'.repeat(9_000)}`)).status).toBe(413)
  })
})

/** Reads what a page hears. */
const hear = (): Promise<{ text: () => string; end(): void }> =>
  new Promise((resolve, reject) => {
    const request = send(
      { host: '127.0.0.1', port: edge.port, path: `${PATH}/live`, headers: { accept: 'text/event-stream' } },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        resolve({ text: () => text, end: () => request.destroy() })
      },
    )
    request.on('error', reject)
    request.end()
  })
const change = (to: string) => {
  view = VIEWS[to]
  return edge.pool.query('select pg_notify($1, $2)', [CHANNEL, ID])
}

describe('an open page', () => {
  test('receives the shown version, then each change once, as soon as it is committed', async () => {
    const page = await hear()
    const line = (name: string): string => `data: ${versionOf(VIEWS[name]!)}\n\n`
    await expect.poll(page.text).toBe(`retry: 5000\n\n${line('crypto-pay')}`)
    await change('crypto-partly-paid')
    await change('crypto-partly-paid')
    await expect.poll(page.text).toBe(`retry: 5000\n\n${line('crypto-pay')}${line('crypto-partly-paid')}`)
    await change('crypto-paid')
    await expect
      .poll(page.text)
      .toBe(`retry: 5000\n\n${line('crypto-pay')}${line('crypto-partly-paid')}${line('crypto-paid')}`)
    page.end()
    await expect.poll(live.count).toBe(0)
  })

  test('receives a change that was made while its listener was disconnected', async () => {
    const page = await hear()
    await expect.poll(page.text).toContain('data:')
    view = VIEWS['crypto-paid']
    await edge.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% listener'",
    )
    await expect.poll(page.text).toContain(versionOf(VIEWS['crypto-paid']!))
    page.end()
  })

  test('looks only when its own invoice has changed', async () => {
    // A listener looks at every page whenever it reconnects; without one, notifications alone lead to a look.
    await listener.close()
    const page = await hear()
    await expect.poll(page.text).toContain('data:')
    const before = visits.length
    live.notified(CHANNEL, '123e4567-e89b-42d3-a456-426614174000')
    view = VIEWS['crypto-paid']
    live.notified(CHANNEL, ID)
    await expect.poll(page.text).toContain(versionOf(VIEWS['crypto-paid']!))
    expect(visits.length).toBe(before + 1)
    page.end()
  })
})
