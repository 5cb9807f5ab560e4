/**
 * Several whole installations (cells) behind the HAProxy of deploy/cells: each request reaches the cell of its
 * merchant, and a cell that is added under load fails no request.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as send, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { Bursar } from '@bursar/sdk'
import { freePort } from '../../sandbox/process/port.ts'
import { openInstallation, type Installation } from '../fuzz/installation.ts'
import { createDatabase } from '../setup/database.ts'
import { findHaproxy, type HaproxyProgram } from '../setup/haproxy.ts'
import { migrated } from '../setup/migrated.ts'
import { temporaryFolder } from '../setup/temporary.ts'
import { converse, type RawAnswer } from '../world/raw-http.ts'
import { sign } from '../world/signed-request.ts'
import { FRAMES, framed, INVOICES } from './ambiguous-frames.ts'

const DEPLOYED = join(import.meta.dirname, '../../deploy/cells')
const UNKNOWN = '00000000-0000-4000-8000-00000000ffff'
const dir = temporaryFolder('cells')
const cells: Installation[] = []
const hostOf = (i: number): string => `pay${i + 1}.example.com`
let proxy: ChildProcess
let haproxy: HaproxyProgram
let port = 0
const drops: (() => Promise<void>)[] = []

const openCell = async (i: number): Promise<void> => {
  const database = await createDatabase({ template: migrated })
  drops.push(database.drop)
  cells[i] = await openInstallation(database.url, join(dir, `cell${i}`), { BURSAR_PUBLIC_URL: `https://${hostOf(i)}` })
}

/** Writes the deployed files with the ports and paths of this test, for the cells that are open. */
const configure = (): string => {
  const deployed = readFileSync(join(DEPLOYED, 'haproxy.cfg'), 'utf8')
  const head = deployed.slice(0, deployed.indexOf('\nbackend '))
  const [, backend] = /\nbackend cell1\n((?: {4}.*\n)+)/.exec(deployed)!
  const options = backend!.replaceAll(/ {4}server .*\n/g, '')
  const backends = cells.map(
    (cell, i) => `\nbackend cell${i + 1}\n${options}    server api1 127.0.0.1:${cell.port} check inter 1s fall 1000\n`,
  )
  const text = head
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replace('/run/haproxy/admin.sock', join(dir, 'admin.sock'))
    .replace('log stdout format raw local0', '')
    .replaceAll('/etc/haproxy/', `${dir}/`)
  writeFileSync(join(dir, 'hosts.map'), cells.map((_, i) => `${hostOf(i)} cell${i + 1}\n`).join(''))
  const lines = cells.flatMap(({ merchants }, i) => merchants.map(({ id }) => `${id} cell${i + 1}\n`))
  writeFileSync(join(dir, 'merchants.map'), lines.join(''))
  const file = join(dir, 'haproxy.cfg')
  writeFileSync(file, text + backends.join(''))
  return file
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}
const ask = (method: string, path: string, headers: Record<string, string | string[]>, body = ''): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const all = { host: 'api.example.com', 'content-length': String(Buffer.byteLength(body)), ...headers }
    const asked = send({ host: '127.0.0.1', port, method, path, headers: all }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(parts).toString() }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
const signedHeaders = (
  { id, privateKey }: { id: string; privateKey: string },
  method: string,
  path: string,
  body: string,
): Record<string, string> => {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  return { 'merchant-id': id, signature: sign(privateKey, method, path, body, timestamp), timestamp }
}
const clientOf = (cell: Installation, i = 0): Bursar =>
  new Bursar({
    url: `http://127.0.0.1:${port}`,
    merchantId: cell.merchants[i]!.id,
    privateKey: cell.merchants[i]!.privateKey,
  })

beforeAll(async () => {
  const found = await findHaproxy()
  if (typeof found === 'string') throw new Error(found)
  haproxy = found
  port = await freePort()
  await Promise.all([0, 1].map(openCell))
  const file = configure()
  proxy = spawn(haproxy.program, ['-W', '-db', '-f', file], { env: haproxy.env, stdio: ['ignore', 'ignore', 'pipe'] })
  proxy.stderr!.resume()
  while (
    (await ask('GET', '/docs', {}).then(
      ({ status }) => status,
      () => 0,
    )) !== 200
  )
    await sleep(50)
})
afterAll(async () => {
  if (proxy?.exitCode === null) {
    proxy.kill('SIGTERM')
    await once(proxy, 'exit')
  }
  await Promise.all(cells.map((cell) => cell.close()))
  for (const drop of drops) await drop()
})

const withdrawalsIn = async (cell: Installation): Promise<string[]> =>
  (
    await sql<{ localId: string }>`select local_id as "localId" from withdrawals where local_id is not null`.execute(
      cell.db,
    )
  ).rows.map(({ localId }) => localId)

test('the deployed file is one that HAProxy takes', () => {
  const checked = spawnSync(haproxy.program, ['-c', '-f', join(dir, 'haproxy.cfg')], {
    env: haproxy.env,
    encoding: 'utf8',
  })
  expect(`${checked.status} ${checked.stdout}${checked.stderr}`).toMatch(/^0 /)
})

describe('a signed request', () => {
  test('reaches the cell of its merchant, in any spelling of the id', async () => {
    for (const cell of cells)
      for (const i of [0, 1]) expect(await clientOf(cell, i).balances.list(['USDT'])).toHaveLength(1)
    const { id, privateKey } = cells[1]!.merchants[0]
    const path = '/merchants/balances?tickers=USDT'
    const headers = signedHeaders({ id: id.toUpperCase(), privateKey }, 'GET', path, '')
    expect((await ask('GET', path, headers)).status).toBe(200)
  })

  test('of an unknown merchant is refused like a wrong signature', async () => {
    const path = '/merchants/balances?tickers=USDT'
    const { id, privateKey } = cells[1]!.merchants[0]
    const answers = [
      await ask('GET', path, signedHeaders({ id: UNKNOWN, privateKey }, 'GET', path, '')),
      await ask('GET', path, signedHeaders({ id, privateKey: 'x'.repeat(43) }, 'GET', path, '')),
    ].map(({ status, text }) => [status, (JSON.parse(text) as { code: number }).code])
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]![0]).toBe(401)
  })

  test('with two merchant ids is refused, whichever comes first', async () => {
    const path = '/merchants/balances?tickers=USDT'
    const [first, second] = cells.map(({ merchants }) => merchants[0])
    for (const [one, two] of [
      [first!, second!],
      [second!, first!],
    ] as const) {
      const headers = { ...signedHeaders(one, 'GET', path, ''), 'merchant-id': [one.id, two.id] }
      const { status } = await ask('GET', path, headers)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }
  })
})

describe('a form', () => {
  const fields = { name: 'Order', value: '25', ticker: 'USDT', blockchain: 'TRON' }
  const CRYPTO = '/merchants/invoices/crypto/form'
  const urlencoded = (more: Record<string, string>): string => String(new URLSearchParams({ ...fields, ...more }))
  const cellOf = ({ status, headers }: Answer): string => `${status} ${headers.location?.split('/')[2] ?? ''}`

  test.each([0, 1])('reaches the cell of the merchant that it names: cell %i', async (i) => {
    const { id } = cells[i]!.merchants[0]
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const bodies = [
      urlencoded({ merchantId: id }),
      urlencoded({ merchantID: id.toUpperCase() }),
      `merchantId=${id.replaceAll('-', '%2D')}&${urlencoded({})}`,
      `${urlencoded({ description: 'x'.repeat(900) })}&merchantId=${id}`,
    ]
    for (const body of bodies) expect(cellOf(await ask('POST', CRYPTO, type, body))).toBe(`303 ${hostOf(i)}`)
    const json = JSON.stringify({ merchantId: id, ...fields })
    expect(cellOf(await ask('POST', CRYPTO, { 'content-type': 'application/json' }, json))).toBe(`303 ${hostOf(i)}`)
  })

  test('as multipart reaches the cell of its host', async () => {
    const { id } = cells[1]!.merchants[0]
    const parts = Object.entries({ ...fields, merchantId: id })
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('')
    const headers = { host: hostOf(1), 'content-type': 'multipart/form-data; boundary=b' }
    expect(cellOf(await ask('POST', CRYPTO, headers, `${parts}--b--\r\n`))).toBe(`303 ${hostOf(1)}`)
  })

  test('and the page of its invoice is on the host of the cell, and on no other', async () => {
    const { id } = cells[1]!.merchants[0]
    const made = await ask(
      'POST',
      CRYPTO,
      { 'content-type': 'application/x-www-form-urlencoded' },
      urlencoded({ merchantId: id }),
    )
    const { pathname } = new URL(made.headers.location!)
    const statuses = [0, 1].map(async (i) => (await ask('GET', pathname, { host: hostOf(i) })).status)
    expect(await Promise.all(statuses)).toEqual([404, 200])
  })
})

/**
 * Requests that two parsers may read in two ways (RFC 9112, 11.2). HAProxy and the api must agree on where each ends:
 * otherwise the rest of one is the beginning of the next, which may be of another client. About 5 seconds.
 */
describe('a request that can be read in two ways', () => {
  let count = 0
  /** Makes a signed request of a merchant: its lines without those that frame its body, and its body. */
  const invoiceOf = (cell: number, merchant: number, name: string): { lines: string[]; body: string } => {
    const body = JSON.stringify({ name })
    const signed = signedHeaders(cells[cell]!.merchants[merchant]!, 'POST', INVOICES, body)
    const headers = { host: 'api.example.com', 'content-type': 'application/json', ...signed }
    const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`)
    return { lines: [`POST ${INVOICES} HTTP/1.1`, ...lines], body }
  }
  const whole = ({ lines, body }: { lines: string[]; body: string }): string =>
    `${[...lines, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`
  const storedIn = async (cell: number, name: string): Promise<number> =>
    (
      await sql<{ count: number }>`select count(*)::int as count from crypto_invoices where name = ${name}`.execute(
        cells[cell]!.db,
      )
    ).rows[0]!.count
  /** The names of the invoices of these answers, in order; the status of an answer that has none. */
  const namesIn = (answers: readonly RawAnswer[]): Promise<(string | number)[]> =>
    Promise.all(
      answers.map(async ({ status, body }) => {
        if (status !== 200) return status
        const { id } = JSON.parse(body) as { id: string }
        const found = await Promise.all(
          cells.map(({ db }) => sql<{ name: string }>`select name from crypto_invoices where id = ${id}`.execute(db)),
        )
        return found.flatMap(({ rows: some }) => some)[0]!.name
      }),
    )

  test.each(FRAMES)('%s', async (_, frame) => {
    const n = (count += 1)
    const [outer, hidden, own] = ['outer', 'hidden', 'own'].map((word) => `${word}-${n}`) as [string, string, string]
    const answers = await converse(
      port,
      frame(invoiceOf(0, 0, outer), whole(invoiceOf(1, 0, hidden))) + whole(invoiceOf(0, 1, own)),
      true,
    )
    // Each request that was carried out has one answer with its own name, and the other way round.
    const names = await namesIn(answers)
    const answered = [outer, hidden, own].map((name) => names.filter((one) => one === name).length)
    expect([await storedIn(0, outer), await storedIn(1, hidden), await storedIn(0, own)]).toEqual(answered)
    expect(await storedIn(0, hidden)).toBe(0)
    // Others, on connections that HAProxy may share with the one above: each gets the answer to its own request.
    for (const cell of [0, 1]) {
      const asked = [0, 1, 2].map((i) => `other-${n}-${cell}-${i}`)
      const requests = asked.map((name, i) => {
        const { lines, body } = invoiceOf(cell, 1, name)
        return whole({ lines: i < 2 ? lines : [...lines, 'connection: close'], body })
      })
      const others = await converse(port, requests.join(''), false)
      expect(await namesIn(others)).toEqual(asked)
    }
  })

  test.each([
    ['twice in other letters', (a: string, b: string) => [`Merchant-Id: ${a}`, `MERCHANT-ID: ${b}`]],
    ['beside one with an underscore', (a: string, b: string) => [`merchant-id: ${a}`, `merchant_id: ${b}`]],
    ['on a folded line', (a: string, b: string) => [`merchant-id: ${a}`, ` ${b}`]],
    ['as a list', (a: string, b: string) => [`merchant-id: ${a}, ${b}`]],
    ['after one behind a bare LF', (a: string, b: string) => [`x: y\nmerchant-id: ${a}`, `merchant-id: ${b}`]],
  ])('a merchant id %s reaches no other cell as its sender', async (_, idLines) => {
    for (const [signer, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const name = `id-${(count += 1)}`
      const { lines, body } = invoiceOf(signer, 0, name)
      const [a, b] = [signer, other].map((cell) => cells[cell]!.merchants[0].id) as [string, string]
      for (const ids of [idLines(a, b), idLines(b, a)]) {
        const others = lines.filter((line) => !line.startsWith('merchant-id:'))
        const answers = await converse(
          port,
          framed([...others, ...ids], [`content-length: ${body.length}`], body),
          true,
        )
        for (const { status } of answers) expect(status).toBeLessThan(500)
        expect(await storedIn(other, name)).toBe(0)
      }
    }
  })

  test('a form that names two merchants, or one in another encoding, is never an invoice of the wrong one', async () => {
    const [a, b] = cells.map(({ merchants }) => merchants[0].id) as [string, string]
    const rest = 'value=25&ticker=USDT&blockchain=TRON'
    const type = 'application/x-www-form-urlencoded'
    const forms: [type: string, body: string, by: number][] = [
      [type, `merchantId=${a}&merchantId=${b}`, -1],
      [type, `merchantId=${b}&merchantId=${a}`, -1],
      [type, `merchantId=${a}&merchantID=${b}`, -1],
      [type, `merchant%49d=${b}&merchantId=${a}`, -1],
      [type, `merchantId=${a};merchantId=${b}`, -1],
      [type, `merchant%49d=${b}`, 1],
      [`${type}; charset=utf-16`, `merchantId=${b}`, 1],
      ['text/plain', `merchantId=${b}`, 1],
    ]
    for (const [contentType, ids, by] of forms) {
      const name = `form-${(count += 1)}`
      const path = `${INVOICES}/form`
      const answer = await ask('POST', path, { 'content-type': contentType }, `${ids}&${rest}&name=${name}`)
      expect(answer.status).toBeLessThan(500)
      const stored = [await storedIn(0, name), await storedIn(1, name)]
      // Refused, or an invoice of the one merchant that it names, in that merchant's cell.
      expect([[0, 0], ...(by < 0 ? [] : [[0, 1]])]).toContainEqual(stored)
    }
  })
})

test('a cell that does not answer is unavailable as the API says it; the other cells go on', async () => {
  const dead = await freePort()
  const file = join(dir, 'haproxy.cfg')
  const written = readFileSync(file, 'utf8')
  const reload = async (text: string): Promise<void> => {
    writeFileSync(file, text)
    proxy.kill('SIGUSR2')
  }
  await reload(written.replace(`127.0.0.1:${cells[0]!.port}`, `127.0.0.1:${dead}`))
  const first = clientOf(cells[0]!)
  const outcome = (): Promise<unknown> =>
    first.balances.list(['USDT']).then(
      () => 'answered',
      (error: unknown) => error,
    )
  await expect.poll(outcome, { timeout: 30_000 }).toMatchObject({ status: 503, code: 107, retryAfterMs: 5_000 })
  expect(await clientOf(cells[1]!).balances.list(['USDT'])).toHaveLength(1)
  await reload(written)
  await expect.poll(outcome, { timeout: 30_000 }).toBe('answered')
}, 120_000)

test('a third cell is added under load: no request fails, and each order is in the cell of its merchant once', async () => {
  const answered: string[][] = [[], []]
  let isDone = false
  const load = async (i: number, worker: number): Promise<void> => {
    const client = clientOf(cells[i]!, worker % 2)
    for (let n = 0; !isDone; n += 1) {
      const localId = `order-${i}-${worker}-${n}`
      const order = {
        ticker: 'TRX',
        blockchain: 'TRON' as const,
        to: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
        amount: '3',
        localId,
      }
      await client.withdrawals.crypto.create(order)
      answered[i]!.push(localId)
    }
  }
  const loads = Promise.all([0, 1].flatMap((i) => [0, 1, 2].map((worker) => load(i, worker))))
  // Its failure is reported where it is awaited.
  loads.catch(() => {})
  await openCell(2)
  configure()
  proxy.kill('SIGUSR2')
  const third = clientOf(cells[2]!)
  await expect
    .poll(() =>
      third.balances.list(['USDT']).then(
        ({ length }) => length,
        () => 0,
      ),
    )
    .toBe(1)
  const seen = answered.map(({ length }) => length)
  await expect.poll(() => answered.every(({ length }, i) => length > seen[i]! + 20)).toBe(true)
  isDone = true
  await loads
  const stored = await Promise.all(cells.map(withdrawalsIn))
  for (const i of [0, 1]) expect(stored[i]!.toSorted()).toEqual(answered[i]!.toSorted())
  expect(stored[2]).toEqual([])
  expect(cells.flatMap(({ failures }) => failures)).toEqual([])
}, 300_000)
