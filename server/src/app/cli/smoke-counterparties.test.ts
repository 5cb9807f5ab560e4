/** Against the sandbox's emulators, whose answers are known, and against unknown answers. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startFreedomPay } from '../../../../sandbox/acquirers/freedompay/index.ts'
import { startLiqPay } from '../../../../sandbox/acquirers/liqpay/index.ts'
import { startWayForPay } from '../../../../sandbox/acquirers/wayforpay/index.ts'
import { startScreening } from '../../../../sandbox/screening/index.ts'
import { startVenue } from '../../../../sandbox/venue/index.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { createFreedomPay } from '../../adapters/acquirers/freedompay/index.ts'
import { FREEDOMPAY_LIMITS } from '../../adapters/acquirers/freedompay/settings.ts'
import type { AcquirersConfig } from '../../adapters/acquirers/index.ts'
import { createAcquirerHttp, type AcquirerHttp } from '../../adapters/acquirers/http.ts'
import { createLiqPay } from '../../adapters/acquirers/liqpay/index.ts'
import { LIQPAY_LIMITS } from '../../adapters/acquirers/liqpay/settings.ts'
import { AcquirerUnreachable, type Acquirer, type AcquirerState } from '../../adapters/acquirers/port.ts'
import { payOnPage } from '../../../../test/world/emulated-acquirer.ts'
import { createWayForPay } from '../../adapters/acquirers/wayforpay/index.ts'
import { WAYFORPAY_LIMITS } from '../../adapters/acquirers/wayforpay/settings.ts'
import { createAmlbot } from '../../adapters/screening/amlbot.ts'
import type { Subject } from '../../adapters/screening/port.ts'
import { openVenue, venueSettingsOf } from '../../adapters/venues/settings.ts'
import { reportAcquirers } from './doctor-acquirers.ts'
import { compareAcquirer, compareScreener, compareVenue } from './smoke-counterparties.ts'

const http = createAcquirerHttp({ account: 'test', timeoutMs: 120_000 })
const ORDER = {
  description: 'a test',
  callbackUrl: 'http://127.0.0.1:9/callback',
  returnUrl: 'https://shop.example/',
  email: undefined,
  language: 'en',
  expiresAt: Date.now() + 600_000,
} as const
const lines = (comparisons: Awaited<ReturnType<typeof compareAcquirer>>) =>
  comparisons.map(({ row, result, text }) => `${result} ${row}: ${text}`)

/** Hands an answer on with a signature that is not by our key. */
const signedOtherwise: AcquirerHttp = {
  ask: async (question) => {
    const answer = await http.ask(question)
    const text = answer.body.toString()
    const body = text
      .replace(/(<pg_sig>)[^<]*/, `$1${'0'.repeat(32)}`)
      .replace(/("merchantSignature":")[^"]*/, `$1${'0'.repeat(32)}`)
    return { ...answer, body: Buffer.from(body) }
  },
}

const emulated: Record<string, (http: AcquirerHttp) => Promise<{ acquirer: Acquirer; secureCode: string }>> = {
  liqpay: async (http) => {
    const account = {
      publicKey: 'i00000000042',
      privateKey: 'a4825234f4bae72a0be04eafe9e8e2bada209255',
      version: 3,
    } as const
    const emulator = await startLiqPay(account, { port: 0 })
    onTestFinished(() => emulator.stop())
    return {
      acquirer: createLiqPay({
        name: 'one',
        ...account,
        url: emulator.url,
        ip: '203.0.113.7',
        capabilities: LIQPAY_LIMITS,
        http,
      }),
      secureCode: emulator.context.dialect.secureCode,
    }
  },
  wayforpay: async (http) => {
    const account = { merchantAccount: 'test_merch_n1', secretKey: 'flk3409refn54t54t*FNJRET', domain: 'www.market.ua' }
    const emulator = await startWayForPay(account, { port: 0 })
    onTestFinished(() => emulator.stop())
    return {
      acquirer: createWayForPay({
        name: 'one',
        ...account,
        apiUrl: emulator.url,
        payUrl: emulator.url,
        page: 'form',
        capabilities: WAYFORPAY_LIMITS,
        http,
      }),
      secureCode: emulator.context.dialect.secureCode,
    }
  },
  freedompay: async (http) => {
    const account = { merchantId: '500042', secretKey: 'receiving-key-0001', payoutSecretKey: 'paying-out-key-0002' }
    const emulator = await startFreedomPay(account, { port: 0 })
    onTestFinished(() => emulator.stop())
    return {
      acquirer: createFreedomPay({
        name: 'one',
        ...account,
        url: emulator.url,
        testing: true,
        spacingMs: 5,
        capabilities: FREEDOMPAY_LIMITS,
        http,
      }),
      secureCode: emulator.context.dialect.secureCode,
    }
  },
}

test.for(Object.keys(emulated))(
  '%s: an unknown order is reported as unknown, and a paid order is understood',
  async (kind) => {
    const { acquirer, secureCode } = await emulated[kind]!(http)
    const ticker = kind === 'freedompay' ? 'KZT' : 'UAH'
    const reference = randomUUID()
    const page = await acquirer.createPayment({
      reference,
      ...ORDER,
      ticker,
      units: acquirer.capabilities.payIn[ticker]!.least,
    })
    await payOnPage(page, ['4111111111111111'], secureCode)
    const said = lines(
      await compareAcquirer(acquirer, [{ kind: 'payment', reference, acquirerReference: page.acquirerReference }]),
    )
    expect(said.filter((line) => !line.startsWith('agrees'))).toEqual([])
    expect(said.at(-1)).toMatch(/^agrees orders of ours: 1 queried: 1 (succeeded|waiting)$/)
    expect(lines(await compareAcquirer(acquirer, [])).at(-1)).toBe(
      'unknown orders of ours: there are none to ask about',
    )
  },
)

test('an unknown status is named, and an acquirer that does not answer is no finding', async () => {
  const answering = (say: (reference: string) => AcquirerState): Acquirer =>
    ({
      name: 'one',
      capabilities: { payIn: {}, payout: { UAH: { least: 1n, most: 2n } }, refund: false, statement: false },
      paymentState: async (reference: string) => say(reference),
      payoutState: async (reference: string) => say(reference),
    }) as unknown as Acquirer
  const known = [{ kind: 'payout', reference: 'ours', acquirerReference: '7' }] as const
  expect(
    lines(
      await compareAcquirer(
        answering((reference) => ({
          kind: 'unknown',
          reason: reference === 'ours' ? 'status wait_tomorrow' : 'payment_not_found',
        })),
        known,
      ),
    ),
  ).toEqual([
    'agrees payment that was never ordered: is unknown: payment_not_found',
    'agrees payout that was never ordered: is unknown: payment_not_found',
    'new payout ours: is not understood: status wait_tomorrow',
    'agrees orders of ours: 1 queried: 1 unknown',
  ])
  expect(
    lines(
      await compareAcquirer(
        answering(() => ({ kind: 'waiting' })),
        [],
      ),
    )[0],
  ).toBe('new payment that was never ordered: has the state waiting')
  expect(
    lines(
      await compareAcquirer(
        answering(() => {
          throw new AcquirerUnreachable('one: no answer', { sent: true })
        }),
        known,
      ),
    ),
    'a silent acquirer is asked once',
  ).toEqual(['unknown payment that was never ordered: one: no answer'])
})

test('freedompay: answers that are signed with another key are no agreement, and no ok of the doctor', async () => {
  const kind = 'freedompay'
  const { acquirer } = await emulated[kind]!(signedOtherwise)
  const said = lines(await compareAcquirer(acquirer, []))
  expect(said[0]).toMatch(/^wrong payment that was never ordered: .*\. Set the account's keys/)
  const reported: string[] = []
  const config = { accounts: [{ name: 'one', kind, acquirer }], routing: [] } as unknown as AcquirersConfig
  await reportAcquirers(config, (isGood, text) => reported.push(`${isGood} ${text}`))
  expect(reported[0]).toMatch(/^false acquirer one \(\w+\): signs its answers with another key/)
})

test('wayforpay: the state of an order that is signed with another key is no agreement', async () => {
  let asks = http
  const { acquirer } = await emulated['wayforpay']!({ ask: (question) => asks.ask(question) })
  const reference = randomUUID()
  const page = await acquirer.createPayment({ reference, ...ORDER, ticker: 'UAH', units: 10_000n })
  await payOnPage(page, ['4111111111111111'], '')
  asks = signedOtherwise
  const order = { kind: 'payment', reference, acquirerReference: page.acquirerReference } as const
  expect(lines(await compareAcquirer(acquirer, [order]))).toContainEqual(
    expect.stringMatching(/^wrong payment .* signed with another key, .*\. Set the account's keys/),
  )
})

test('an order that the operator names is looked for among payments and payouts', async () => {
  const acquirer = {
    capabilities: { payIn: {}, payout: { UAH: { least: 1n, most: 2n } }, refund: false, statement: false },
    paymentState: async () => ({ kind: 'unknown' }),
    payoutState: async (reference: string) => ({ kind: reference === 'ours' ? 'waiting' : 'unknown' }),
  } as unknown as Acquirer
  const order = { kind: 'payment', reference: 'ours', acquirerReference: undefined } as const
  expect(lines(await compareAcquirer(acquirer, [{ ...order, isNamed: true }])).at(-1)).toBe(
    'agrees orders of ours: 1 queried: 1 waiting',
  )
  expect(lines(await compareAcquirer(acquirer, [order])).at(-2)).toMatch(/^new payment ours: is not understood/)
})

test('amlbot: a missing report is refused; only a named subject is checked, and unknown signals are named', async () => {
  const emulator = await startScreening({ port: 0, accessId: 'id', accessKey: 'key' })
  onTestFinished(() => emulator.stop())
  const screener = createAmlbot({ url: emulator.url, accessId: 'id', accessKey: 'key' }, Date.now)
  const subject = (other: string): Subject => ({
    network: 'ETHEREUM',
    asset: 'ETH',
    direction: 'withdrawal',
    transaction: null,
    own: null,
    others: [other],
  })
  expect(lines(await compareScreener(screener, undefined))).toEqual([
    'agrees report that was never asked for: amlbot: it refused: uid is not known',
    'unknown a report: no --address was given: a check costs one of the account',
  ])
  expect(emulator.asked.map(({ path }) => path)).toEqual(['/recheck'])
  expect(
    lines(await compareScreener(screener, subject(`0x${'11'.repeat(20)}`))).filter(
      (line) => !line.startsWith('agrees'),
    ),
  ).toEqual([])
  // A transaction that ends in 9996 has a signal that the contract lacks.
  expect(lines(await compareScreener(screener, subject(`0x${'11'.repeat(18)}9996`)))).toContain(
    'new names of signals: names that Bursar does not know: a_signal_of_tomorrow',
  )
  const stranger = createAmlbot({ url: emulator.url, accessId: 'id', accessKey: 'another' }, Date.now)
  expect(lines(await compareScreener(stranger, undefined))[0]).toBe(
    "wrong report that was never asked for: amlbot: it refused: Access denied: wrong token. Check accessId and accessKey, the account's balance and its list of addresses",
  )
  emulator.setFault('html')
  expect(
    lines(await compareScreener(screener, subject(`0x${'11'.repeat(20)}`))).map((line) => line.split(' ')[0]),
  ).not.toContain('agrees')
})

test('binance: an order that was never placed is absent, clocks agree, and the words of its markets are known', async () => {
  const account = { apiKey: 'a-key', secret: 'a-secret' }
  const emulator = await startVenue({
    port: 0,
    account,
    usd: () => ({ BTC: '65000', ETH: '2500', USDT: '1', KZT: '0.0019' }),
    balances: { BTC: '2' },
  })
  const dir = temporaryFolder('smoke')
  const file = (name: string, content: string): string => {
    writeFileSync(join(dir, name), content)
    return join(dir, name)
  }
  const venue = openVenue(
    venueSettingsOf({
      exchange: 'binance',
      origin: emulator.url,
      timeoutMs: 60_000,
      apiKeyFile: file('key', account.apiKey),
      secretFile: file('secret', account.secret),
    }),
  )
  onTestFinished(async () => {
    await venue.close()
    await emulator.stop()
  })
  const said = lines(await compareVenue(venue, emulator.url, Date.now))
  expect(said.filter((line) => !line.startsWith('agrees'))).toEqual([])
  expect(said.map((line) => line.split(':')[0])).toContain('agrees V-6')
  expect(
    lines(await compareVenue(venue, emulator.url, () => Date.now() - 60_000)).find((line) => line.includes('V-4')),
  ).toMatch(/^wrong V-4: .* ms from this one's.*NTP/)
})
