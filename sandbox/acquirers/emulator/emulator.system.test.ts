import { spawn } from 'node:child_process'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startFreedomPay } from '../freedompay/index.ts'
import { startLiqPay } from '../liqpay/index.ts'
import { startReceiver } from '../receiver.ts'
import type { Receiver } from '../receiver.ts'
import { startWayForPay } from '../wayforpay/index.ts'
import { placeOrder } from './payments.ts'
import { payByCard } from './payments.ts'
import type { Emulator } from './start.ts'

const liqpay = { publicKey: 'i1', privateKey: 'priv', version: 3 } as const
const wayforpay = { merchantAccount: 'shop', secretKey: 'key', domain: 'shop.example' }
const freedompay = { merchantId: '1', secretKey: 'in', payoutSecretKey: 'out' }
/** Pauses of minutes become some milliseconds. */
const clockRate = 60_000

const open: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()))
})
const started = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
  const one = await starting
  open.push(one)
  return one
}

const receiver = (answer: Parameters<typeof startReceiver>[0]): Promise<Receiver> => started(startReceiver(answer))
const acknowledge = (body: string, status = 200) => ({ status, contentType: 'text/plain', body })

const paidBy = ({ context }: Emulator, card: string, callbackUrl: string) => {
  const placed = placeOrder(context, {
    kind: 'payment',
    reference: randomUUID(),
    currency: context.dialect.currency,
    units: 1_000_00n,
    description: 'x',
    callbackUrl,
    returnUrl: 'https://shop.example/<back>?a=1&b="2"',
  })
  if ('refusal' in placed) throw new Error(placed.refusal)
  return payByCard(context, placed.order, card)
}

describe('callbacks are repeated as each acquirer does it', () => {
  test('LiqPay: until HTTP 200', async () => {
    const emulator = await started(startLiqPay(liqpay, { port: 0, clockRate }))
    let tries = 0
    const shop = await receiver(() => acknowledge('', ++tries < 3 ? 500 : 200))
    paidBy(emulator, '4242424242424242', `${shop.url}/cb`)
    await expect.poll(() => emulator.context.deliveries.list()[0]?.answers).toEqual([500, 500, 200])
  })

  test('WayForPay: until the signed accept, at every status', async () => {
    const emulator = await started(startWayForPay(wayforpay, { port: 0, clockRate }))
    const answers = ['ok', '{"status":"accept"}', 'signed']
    const shop = await receiver(({ body }) => {
      const { orderReference } = JSON.parse(body.toString()) as { orderReference: string }
      const signature = createHmac('md5', 'key').update(`${orderReference};accept;5`).digest('hex')
      const answer = answers.shift()!
      return acknowledge(
        answer === 'signed' ? JSON.stringify({ orderReference, status: 'accept', time: 5, signature }) : answer,
      )
    })
    paidBy(emulator, '4111111111111111', `${shop.url}/cb`)
    await expect.poll(() => emulator.context.deliveries.list()[0]?.answers).toEqual([200, 200, 200])
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(shop.received).toHaveLength(3)
  })

  test('Freedom Pay: four times more, and then no more', async () => {
    const emulator = await started(startFreedomPay(freedompay, { port: 0, clockRate: clockRate * 100 }))
    const shop = await receiver(() => acknowledge('ok'))
    paidBy(emulator, '4111111111111111', `${shop.url}/cb?x=1`)
    await expect.poll(() => emulator.context.deliveries.list()[0]).toMatchObject({ answers: [200, 200, 200, 200, 200] })
    expect(emulator.context.deliveries.list()[0]!.dueAt).toBeUndefined()
    const fields = Object.fromEntries(new URLSearchParams(shop.received[0]!.body.toString()))
    const { pg_sig: signature, ...rest } = fields
    const values = Object.keys(rest)
      .sort()
      .map((name) => rest[name])
    expect(
      createHash('md5')
        .update(['cb', ...values, 'in'].join(';'))
        .digest('hex'),
    ).toBe(signature)
  })
})

test('a restart knows its orders and goes on telling', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-emulator-'))
  try {
    const first = await startLiqPay(liqpay, { port: 0, dir, clockRate: 60 })
    let status = 500
    const shop = await receiver(() => acknowledge('', status))
    const order = paidBy(first, '4242424242424242', `${shop.url}/cb`)
    await expect.poll(() => first.context.deliveries.list()[0]?.answers).toEqual([500])
    await first.stop()
    status = 200
    const second = await started(startLiqPay(liqpay, { port: 0, dir, clockRate: 60 }))
    expect(second.context.orders.get(order.id)).toMatchObject({ status: 'succeeded', number: order.number })
    await expect.poll(() => second.context.deliveries.list()[0]?.answers).toEqual([500, 200])
    expect(JSON.stringify(second.context.orders.all())).not.toContain('4242424242424242')
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test.each([
  ['LiqPay', () => startLiqPay(liqpay, { port: 0 })],
  ['WayForPay', () => startWayForPay(wayforpay, { port: 0 })],
  ['Freedom Pay', () => startFreedomPay(freedompay, { port: 0 })],
])('%s does not start in production', async (name, start) => {
  vi.stubEnv('NODE_ENV', 'production')
  try {
    await expect(start()).rejects.toThrow(`the emulator of ${name} is an emulator`)
  } finally {
    vi.unstubAllEnvs()
  }
})

describe('the hosted page', () => {
  const form = (url: string, fields: Record<string, string> | [string, string][]) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields as Record<string, string>), redirect: 'follow' })
  const checkout = (changes: object = {}) => {
    const fields = {
      version: 3,
      public_key: 'i1',
      action: 'pay',
      amount: 10,
      currency: 'UAH',
      description: '<script>alert(1)</script>',
      order_id: randomUUID(),
      server_url: '',
      result_url: 'https://shop.example/"><b>',
      ...changes,
    }
    const data = Buffer.from(JSON.stringify(fields)).toString('base64')
    return { data, signature: createHash('sha1').update(`priv${data}priv`).digest('base64') }
  }

  test('shows external data as text, refuses an invalid card number, asks for the code, leads back', async () => {
    const { url } = await started(startLiqPay(liqpay, { port: 0 }))
    const page = await form(`${url}/api/3/checkout`, checkout())
    expect(await page.text()).toContain('&lt;script&gt;')
    expect((await form(page.url, { card: '4242424242424241' })).status).toBe(422)
    expect(await (await form(page.url, { card: '4000 0000 0000 3063' })).text()).toContain('name="code"')
    expect(await (await form(`${page.url}/secure`, { code: 'no' })).text()).toContain('Wrong code')
    expect(await (await form(`${page.url}/secure`, { code: '1234' })).text()).toContain(
      'href="https://shop.example/&quot;&gt;&lt;b&gt;"',
    )
  })

  test.each([
    ['order_id_duplicate', { order_id: 'same' }],
    ['err_limit_amount', { amount: 30_000 }],
    ['err_currency', { currency: 'USD' }],
    ['public_key_not_found', { public_key: 'i2' }],
    ['order_id_empty', { order_id: '' }],
  ])('of LiqPay refuses with %s', async (code, changes) => {
    const { url } = await started(startLiqPay(liqpay, { port: 0 }))
    await form(`${url}/api/3/checkout`, checkout({ order_id: 'same' }))
    const answer = await form(`${url}/api/3/checkout`, checkout(changes))
    expect([answer.status, (await answer.text()).includes(code)]).toEqual([400, true])
  })

  test('of LiqPay takes no other signature', async () => {
    const { url } = await started(startLiqPay(liqpay, { port: 0 }))
    expect(await (await form(`${url}/api/3/checkout`, { ...checkout(), signature: 'x' })).text()).toContain(
      'invalid_signature',
    )
  })

  test('of WayForPay sends the payer back by a POST of the signed result', async () => {
    const emulator = await started(startWayForPay(wayforpay, { port: 0 }))
    const order = paidBy(emulator, '4111111111111111', '')
    const html = await (await fetch(`${emulator.url}/pay/${order.token}`)).text()
    expect(html).toContain(
      '<form id="back" method="post" action="https://shop.example/&lt;back&gt;?a=1&amp;b=&quot;2&quot;">',
    )
    for (const field of [
      'name="transactionStatus" value="Approved"',
      'name="merchantSignature"',
      `name="orderReference" value="${order.reference}"`,
    ])
      expect(html).toContain(field)
  })

  test('expires', async () => {
    let now = Date.now()
    const emulator = await started(startFreedomPay(freedompay, { port: 0, now: () => now }))
    const placed = placeOrder(emulator.context, {
      kind: 'payment',
      reference: 'r',
      currency: 'KZT',
      units: 1n,
      description: 'x',
      callbackUrl: '',
      returnUrl: 'https://shop.example/',
      expiresAt: now + 1_000,
    })
    if ('refusal' in placed) throw new Error(placed.refusal)
    now += 1_001
    expect(
      await (await form(`${emulator.url}/pay/${placed.order.token}`, { card: '4111111111111111' })).text(),
    ).toContain('expired')
  })
})

test('a tester sets the next fault over HTTP', async () => {
  const emulator = await started(startWayForPay(wayforpay, { port: 0 }))
  const control = (path: string, body: object) =>
    fetch(`${emulator.url}/__control/${path}`, { method: 'POST', body: JSON.stringify(body) })
  expect((await control('next', { outcome: 'stuck' })).status).toBe(200)
  const order = paidBy(emulator, '4111111111111111', '')
  expect(order.status).toBe('processing')
  expect(await (await control('release', { reference: order.reference })).json()).toMatchObject({ status: 'succeeded' })
  expect(await (await control('reverse', { reference: order.reference })).json()).toMatchObject({ status: 'reversed' })
  expect((await control('release', { reference: 'none' })).status).toBe(404)
  expect((await control('next', { outcome: 'sometimes' })).status).toBe(400)
  expect(await (await fetch(`${emulator.url}/__control/orders`)).json()).toMatchObject([{ reference: order.reference }])
})

test.each(['liqpay', 'wayforpay', 'freedompay'])('%s runs as a program until it is ended', async (kind) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', kind, 'main.ts'), '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const said = await new Promise<string>((resolve) =>
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
    )
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0]
    expect(await (await fetch(`${url}/__control/orders`)).json()).toEqual([])
  } finally {
    child.kill('SIGTERM')
  }
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
})
