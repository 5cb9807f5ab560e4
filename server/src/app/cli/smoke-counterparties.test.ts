/** Against the sandbox's emulators, which say nothing new, and against answers that nobody has seen yet. */
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
import { createAcquirerHttp } from '../../adapters/acquirers/http.ts'
import { createLiqPay } from '../../adapters/acquirers/liqpay/index.ts'
import { LIQPAY_LIMITS } from '../../adapters/acquirers/liqpay/settings.ts'
import { AcquirerUnreachable, type Acquirer, type AcquirerState } from '../../adapters/acquirers/port.ts'
import { payOnPage } from '../../adapters/acquirers/test-emulated.ts'
import { createWayForPay } from '../../adapters/acquirers/wayforpay/index.ts'
import { WAYFORPAY_LIMITS } from '../../adapters/acquirers/wayforpay/settings.ts'
import { createAmlbot } from '../../adapters/screening/amlbot.ts'
import type { Subject } from '../../adapters/screening/port.ts'
import { openVenue, readVenueSettings } from '../../adapters/venues/settings.ts'
import { compareAcquirer, compareScreener, compareVenue } from './smoke-counterparties.ts'

const http = createAcquirerHttp({ account: 'test', timeoutMs: 120_000 })
const lines = (comparisons: Awaited<ReturnType<typeof compareAcquirer>>) =>
  comparisons.map(({ row, standing, text }) => `${standing} ${row}: ${text}`)

const emulated: Record<string, () => Promise<{ acquirer: Acquirer; secureCode: string }>> = {
  liqpay: async () => {
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
      secureCode: emulator.desk.dialect.secureCode,
    }
  },
  wayforpay: async () => {
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
      secureCode: emulator.desk.dialect.secureCode,
    }
  },
  freedompay: async () => {
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
      secureCode: emulator.desk.dialect.secureCode,
    }
  },
}

test.for(Object.keys(emulated))(
  '%s: what was never ordered is unknown, and a paid order is understood',
  async (kind) => {
    const { acquirer, secureCode } = await emulated[kind]!()
    const ticker = kind === 'freedompay' ? 'KZT' : 'UAH'
    const reference = randomUUID()
    const page = await acquirer.createPayment({
      reference,
      ticker,
      units: acquirer.capabilities.payIn[ticker]!.least,
      description: 'a test',
      callbackUrl: 'http://127.0.0.1:9/told',
      returnUrl: 'https://shop.example/',
      email: undefined,
      language: 'en',
      expiresAt: Date.now() + 600_000,
    })
    await payOnPage(page, ['4111111111111111'], secureCode)
    const said = lines(
      await compareAcquirer(acquirer, [{ kind: 'payment', reference, acquirerReference: page.acquirerReference }]),
    )
    expect(said.filter((line) => !line.startsWith('agrees'))).toEqual([])
    expect(said.at(-1)).toMatch(/^agrees orders of ours: 1 asked about: 1 (succeeded|waiting)$/)
    expect(lines(await compareAcquirer(acquirer, [])).at(-1)).toBe(
      'unknown orders of ours: there are none to ask about',
    )
  },
)

test('a status that nobody has seen yet is named, and an acquirer that does not answer is no finding', async () => {
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
    'agrees orders of ours: 1 asked about: 1 unknown',
  ])
  expect(
    lines(
      await compareAcquirer(
        answering(() => ({ kind: 'waiting' })),
        [],
      ),
    )[0],
  ).toBe('new payment that was never ordered: is said to be waiting')
  expect(
    lines(
      await compareAcquirer(
        answering(() => {
          throw new AcquirerUnreachable('one: no answer', { sent: true })
        }),
        known,
      ),
    ).slice(0, 3),
  ).toEqual([
    'unknown payment that was never ordered: one: no answer',
    'unknown payout that was never ordered: one: no answer',
    'unknown payout ours: one: no answer',
  ])
})

test('amlbot: a report that does not exist is refused; a check is made only of what is named, and strange signals are named', async () => {
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
  // What ends in 9996 has a signal that the contract lacks.
  expect(lines(await compareScreener(screener, subject(`0x${'11'.repeat(18)}9996`)))).toContain(
    'new names of signals: names that Bursar does not know: a_signal_of_tomorrow',
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
    readVenueSettings({
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
  expect(said.map((line) => line.split(':')[0])).toContain('agrees V6')
  expect(
    lines(await compareVenue(venue, emulator.url, () => Date.now() - 60_000)).find((line) => line.includes('V4')),
  ).toMatch(/^new V4: .* ms from this one's/)
})
