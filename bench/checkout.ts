/**
 * The payment page: time to make it and its bytes in every state, how soon it is seen on a slow phone beside the
 * smallest page that the same process serves, and 2,000 open pages on one api process: memory for each and the delay
 * from a commit to the page. `node bench/checkout.ts`.
 */
import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { renderPage } from '@bursar/checkout'
import { createDb, createPool, migrate } from '../server/src/platform/db/index.ts'
import { VIEWS } from '../test/world/page-views.ts'
import { createManyInvoices, createProceeding } from './checkout/invoices.ts'
import { openPage } from './checkout/live.ts'
import { paintsOf, startBrowser, type Paints } from './checkout/painting.ts'
import { createMerchants } from './merchants.ts'
import { report } from './report.ts'
import { startRole, type RunningRole } from './role.ts'
import { atMost, median, medianRatio, reported, type Row } from './row.ts'
import { withServer } from './server.ts'

const PAGES = 2_000
const OPENED_AT_ONCE = 50
const CHANGES = 200
const ROUNDS = 15
const MADE = 200
const MOST_BYTES = 60_000
const GOAL = 1.5

export const run = (): Promise<Row[]> =>
  withServer('checkout', async (url, folder) => {
    await migrate(url)
    const pool = createPool({ url })
    const db = createDb(pool)
    const [account] = await createMerchants(db, 1)
    const api = await startRole('api', url, folder)
    try {
      const open = await createManyInvoices(api.port, account!, PAGES)
      const [asked] = await createManyInvoices(api.port, account!, 1, { toPendingImmediate: true })
      return [
        ...making(),
        await asking(api, open[0]!, 'details'),
        await asking(api, asked!, 'payment'),
        ...(await painting(api, asked!)),
        ...(await living(api, open, createProceeding(db))),
      ]
    } finally {
      await api.stop()
      await pool.end()
    }
  })

/** Every state in this process: the cost of a page without its database. */
const making = (): Row[] => {
  const states = Object.entries(VIEWS).map(([name, view]) => {
    const page = renderPage(view, 'kk')
    for (let n = 0; n < MADE; n += 1) renderPage(view, 'kk')
    const startedAt = performance.now()
    for (let n = 0; n < MADE; n += 1) renderPage(view, 'kk')
    const ms = (performance.now() - startedAt) / MADE
    return {
      name,
      ms,
      bytes: brotliCompressSync(page.html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length,
    }
  })
  for (const { name, ms, bytes } of states) console.log(`      ${name}: ${ms.toFixed(2)} ms, ${bytes} bytes`)
  const slowest = states.toSorted((a, b) => b.ms - a.ms)[0]!
  const largest = states.toSorted((a, b) => b.bytes - a.bytes)[0]!
  return [
    reported(
      'payment page: rendering the slowest of all states again, its QR code cached',
      slowest.ms,
      'ms',
      slowest.name,
    ),
    atMost({
      name: `payment page: transferred bytes, largest state (${largest.name})`,
      unit: 'bytes',
      value: largest.bytes,
      limit: MOST_BYTES,
      limitName: 'allowed',
      goal: 1,
    }),
  ]
}

const asking = async ({ port }: RunningRole, id: string, step: string): Promise<Row> => {
  const times: number[] = []
  for (let n = 0; n < MADE * 2; n += 1) {
    const startedAt = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/invoices/crypto/${id}`)).text()
    if (n >= MADE) times.push(performance.now() - startedAt)
  }
  return reported(
    `payment page: response time of the api, ${step}, median`,
    median(times),
    'ms',
    `p99 ${times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!.toFixed(1)} ms`,
  )
}

/** Visits take turns, so that both pages see the same machine. */
const painting = async ({ port }: RunningRole, id: string): Promise<Row[]> => {
  const browser = await startBrowser()
  if (!browser) return [reported('payment page: first paint', 0, 'ms', 'no Chromium here')]
  const [pages, smallest]: [Paints[], Paints[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    smallest.push(await paintsOf(browser, `http://127.0.0.1:${port}/robots.txt`))
    pages.push(await paintsOf(browser, `http://127.0.0.1:${port}/invoices/crypto/${id}`))
  }
  await browser.close()
  const row = (name: string, of: (paints: Paints) => number): Row => {
    const [values, limits] = [pages.map(of), smallest.map(of)]
    return atMost({
      name,
      unit: 'ms',
      value: median(values),
      limit: median(limits),
      ratio: medianRatio(values, limits),
      limitName: 'two lines of text from the same process',
      goal: GOAL,
    })
  }
  return [
    row('payment page: first contentful paint, slow 4G, processor at a quarter', ({ first }) => first),
    row('payment page: largest contentful paint, the same', ({ largest }) => largest),
  ]
}

const living = async (
  api: RunningRole,
  ids: readonly string[],
  proceed: (id: string) => Promise<void>,
): Promise<Row[]> => {
  const before = residentMb(api.pid)
  const pages = []
  for (let n = 0; n < ids.length; n += OPENED_AT_ONCE)
    pages.push(...(await Promise.all(ids.slice(n, n + OPENED_AT_ONCE).map((id) => openPage(api.port, id)))))
  const after = residentMb(api.pid)
  const delays: number[] = []
  for (let n = 0; n < CHANGES; n += 1) {
    const at = Math.floor((n * ids.length) / CHANGES)
    const page = pages[at]!
    const heard = page.heard()
    await proceed(ids[at]!)
    const committedAt = performance.now()
    while (page.heard() === heard) await new Promise((resolve) => setTimeout(resolve, 1))
    delays.push(Math.max(0, page.heardAt() - committedAt))
  }
  for (const page of pages) page.close()
  const sorted = delays.toSorted((a, b) => a - b)
  return [
    reported(
      `payment page: memory of the api for each of ${ids.length.toLocaleString('en-US')} open pages`,
      ((after - before) * 1_024) / ids.length,
      'kB',
      `${Math.round(after)} MB in all, ${Math.round(before)} MB without`,
    ),
    reported(
      'payment page: from a commit to the open page, median',
      median(delays),
      'ms',
      `p99 ${sorted[Math.floor(sorted.length * 0.99)]!.toFixed(1)} ms, while ${ids.length.toLocaleString('en-US')} are open`,
    ),
  ]
}

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

if (import.meta.main) await report(run)
