/**
 * Venues against the emulator, which speaks Binance's API: an unmodified ccxt trades on it, with signatures that are
 * checked.
 */
import { spawn } from 'node:child_process'
import { on } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startMarket } from '../../../../sandbox/market/index.ts'
import { startVenue } from '../../../../sandbox/venue/index.ts'
import { signatureOf } from '../../../../sandbox/venue/signature.ts'
import { createSources } from '../rates/sources.ts'
import { createRests } from '../rests.ts'
import { describeVenue } from './conformance.ts'
import { readShape } from '../../platform/config/shape.ts'
import { openVenue, VENUE_SHAPE, venueSettingsOf } from './settings.ts'
import { VenueUnreachable } from './port.ts'

const account = { apiKey: 'a-key', secret: 'a-secret' }
const USD = { BTC: '65000', ETH: '2500', USDT: '1', KZT: '0.0019' }
const dir = mkdtempSync(join(tmpdir(), 'bursar-venue-'))
afterAll(() => rmSync(dir, { recursive: true }))
const file = (name: string, content: string): string => {
  writeFileSync(join(dir, name), `${content}\n`)
  return join(dir, name)
}
const files = { apiKeyFile: file('key', account.apiKey), secretFile: file('secret', account.secret) }
const start = () => startVenue({ port: 0, account, usd: () => USD, balances: { BTC: '2', USDT: '100000' } })

/** In this suite the emulator behaves as in rows V-1, V-2, V-3 and V-4 of docs/dialects.md. */
describeVenue('Binance through ccxt', 66_000n, async () => {
  const emulator = await start()
  const open = (timeoutMs: number) =>
    openVenue(venueSettingsOf({ exchange: 'binance', origin: emulator.url, timeoutMs, ...files }))
  const venue = open(60_000)
  return {
    venue,
    openImpatient: () => open(3_000),
    next: (fault) => void emulator.control.next(fault),
    archive: emulator.control.archive,
    ordersOf: (clientOrderId) => emulator.control.find({ clientOrderId }).orders.length,
    stop: async () => {
      await venue.close()
      await emulator.stop()
    },
  }
})

describe('audit D-B9: limits of an address (row V-5)', () => {
  const order = {
    clientId: 'b'.repeat(32),
    market: { base: 'BTC', quote: 'USDT' },
    side: 'buy' as const,
    amount: 10n ** 16n,
    price: 66_000n * 10n ** 18n,
    validMs: 5_000,
  }

  test.each([
    ['limited', 2_000],
    ['limited-silently', 60_000],
    ['banned', 120_000],
    ['firewall', 300_000],
  ])('a venue that is %s is left alone for %i ms by hedging and by prices', async (kind, ms) => {
    const emulator = await start()
    const market = await startMarket({ port: 0, usd: () => USD })
    let now = Date.now()
    const rests = createRests(() => now)
    const venue = openVenue(
      venueSettingsOf({ exchange: 'binance', origin: emulator.url, timeoutMs: 60_000, ...files }),
      rests,
    )
    const { books } = createSources({ venues: { binance: { origin: market.url } } }, () => now, rests)
    try {
      await venue.markets()
      emulator.control.fault({ kind })
      // A refusal for the rate of requests does not prove that the order was not placed.
      await expect(venue.place({ ...order, placedAt: Date.now() })).rejects.toThrow(VenueUnreachable)
      emulator.control.fault({})
      await expect(venue.balances()).rejects.toThrow(/asked too often/)
      await expect(venue.find(order)).rejects.toThrow(/asked too often/)
      expect(await venue.place({ ...order, placedAt: Date.now() })).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('asked too often') as string,
      })
      await expect(books[0]!.book(order.market)).rejects.toThrow(/asked too often/)
      now += ms
      expect((await books[0]!.book(order.market)).bids.length).toBeGreaterThan(0)
      expect((await venue.find(order)).kind).toBe('absent')
    } finally {
      await Promise.all([venue.close(), emulator.stop(), market.stop()])
    }
  })

  test.each([
    ['limited', 2_000],
    ['banned', 120_000],
  ] as const)('so does a source of prices that is %s, for %i ms', async (kind, ms) => {
    const emulator = await start()
    const market = await startMarket({ port: 0, usd: () => USD })
    let now = Date.now()
    const rests = createRests(() => now)
    const venue = openVenue(
      venueSettingsOf({ exchange: 'binance', origin: emulator.url, timeoutMs: 60_000, ...files }),
      rests,
    )
    const {
      books: [binance],
    } = createSources({ venues: { binance: { origin: market.url } } }, () => now, rests)
    try {
      market.setFault('binance', { kind })
      await expect(binance!.book(order.market)).rejects.toThrow(/HTTP 4/)
      market.setFault('binance', undefined)
      await expect(binance!.book(order.market)).rejects.toThrow(/asked too often/)
      await expect(venue.balances()).rejects.toThrow(/asked too often/)
      now += ms
      expect((await binance!.book(order.market)).asks.length).toBeGreaterThan(0)
      expect((await venue.balances()).length).toBeGreaterThan(0)
    } finally {
      await Promise.all([venue.close(), emulator.stop(), market.stop()])
    }
  })
})

test('audit D-B9: the largest order and the largest position of an account are read (row V-6)', async () => {
  const emulator = await start()
  const venue = openVenue(venueSettingsOf({ exchange: 'binance', origin: emulator.url, ...files }))
  const markets = await venue.markets()
  const find = (base: string) => markets.find((one) => one.base === base && one.quote === 'USDT')!
  expect(find('TRX')).toMatchObject({ mostAmount: 9_000_000n * 10n ** 18n, mostPosition: 100_000_000n * 10n ** 18n })
  expect(find('BTC').mostPosition).toBeUndefined()
  await venue.close()
  await emulator.stop()
})

describe('an answer that is not readable', () => {
  const key = { clientId: 'c'.repeat(32), market: { base: 'BTC', quote: 'USDT' } }

  /** The emulator behind a proxy that answers a page in place of what a path begins with. */
  const openSpoilt = async (path: string) => {
    const emulator = await start()
    let isSpoilt = true
    const proxy = createServer((request, response) => {
      if (isSpoilt && request.url!.startsWith(path)) {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please wait</body></html>')
        return
      }
      const { host: _host, ...headers } = request.headers
      const forwarded = forward(`${emulator.url}${request.url}`, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      request.pipe(forwarded)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const venue = openVenue(venueSettingsOf({ exchange: 'binance', origin, timeoutMs: 60_000, ...files }))
    return {
      venue,
      mend: () => {
        isSpoilt = false
      },
      stop: async () => {
        await venue.close()
        proxy.closeAllConnections()
        await Promise.all([new Promise((resolve) => proxy.close(resolve)), emulator.stop()])
      },
    }
  }

  test('in place of the markets leaves an order open to be looked up later', async () => {
    const { venue, mend, stop } = await openSpoilt('/api/v3/exchangeInfo')
    await expect(venue.find(key)).rejects.toThrow(VenueUnreachable)
    await expect(venue.markets()).rejects.toThrow(VenueUnreachable)
    mend()
    expect(await venue.find(key)).toMatchObject({ kind: 'absent' })
    await stop()
  })

  test('in place of the account is not an empty account', async () => {
    const { venue, mend, stop } = await openSpoilt('/api/v3/account')
    await expect(venue.balances()).rejects.toThrow(VenueUnreachable)
    mend()
    expect((await venue.balances()).length).toBeGreaterThan(0)
    await stop()
  })
})

test('a first request that fails leaves an order open to be looked up later', async () => {
  const emulator = await start()
  const venue = openVenue(venueSettingsOf({ exchange: 'binance', origin: emulator.url, timeoutMs: 60_000, ...files }))
  const key = { clientId: 'd'.repeat(32), market: { base: 'BTC', quote: 'USDT' } }
  emulator.control.fault({ kind: 'down' })
  await expect(venue.find(key)).rejects.toThrow(VenueUnreachable)
  await expect(venue.cancel(key)).rejects.toThrow(VenueUnreachable)
  emulator.control.fault({})
  expect(await venue.find(key)).toMatchObject({ kind: 'absent' })
  await Promise.all([venue.close(), emulator.stop()])
})

describe('signatures', () => {
  // The example of Binance's documentation of signed requests.
  test('are those of the published example', () => {
    const payload =
      'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559'
    expect(signatureOf('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j', payload)).toBe(
      'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71',
    )
  })

  test('with another secret are refused', async () => {
    const emulator = await start()
    const venue = openVenue(
      venueSettingsOf({ exchange: 'binance', origin: emulator.url, ...files, secretFile: file('other', 'another') }),
    )
    await expect(venue.balances()).rejects.toThrow(VenueUnreachable)
    expect(
      await venue.place({
        clientId: 'a'.repeat(32),
        market: { base: 'BTC', quote: 'USDT' },
        side: 'buy',
        amount: 10n ** 17n,
        price: 65_000n * 10n ** 18n,
        placedAt: Date.now(),
        validMs: 5_000,
      }),
    ).toMatchObject({ kind: 'refused', reason: expect.stringContaining('Signature') as string })
    await venue.close()
    await emulator.stop()
  })
})

test.runIf(process.platform === 'linux')(
  'the process of ccxt ends with the one that was killed, and is started again when it has ended itself',
  async () => {
    const emulator = await start()
    const given = { exchange: 'binance', origin: emulator.url, ...files }
    const program = `import { openVenue, venueSettingsOf } from './server/src/adapters/venues/settings.ts'
    const venue = openVenue(venueSettingsOf(${JSON.stringify(given)}))
    await venue.balances()
    console.log('ready')
    process.stdin.once('data', async () => { await venue.balances(); console.log('again') })`
    const worker = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: new URL('../../../../', import.meta.url),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const said = async (what: string): Promise<void> => {
      for await (const [chunk] of on(worker.stdout, 'data')) if (String(chunk).includes(what)) return
    }
    const child = (): number =>
      Number(readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8').trim().split(' ')[0])
    const gone = async (pid: number): Promise<void> => {
      const deadline = performance.now() + 60_000
      while (existsSync(`/proc/${pid}`) && performance.now() < deadline) await sleep(50)
      expect(existsSync(`/proc/${pid}`)).toBe(false)
    }
    await said('ready')
    const first = child()
    process.kill(first, 'SIGKILL')
    await gone(first)
    worker.stdin.write('go\n')
    await said('again')
    const second = child()
    expect(second).not.toBe(first)
    worker.kill('SIGKILL')
    await gone(second)
    await emulator.stop()
  },
)

describe('settings', () => {
  test.each([
    [{ exchange: 'mtgox', ...files }, /exchange: write "binance"/],
    [{ exchange: 'binance', ...files, origin: 'https://x.example/api' }, /origin/],
    [{ exchange: 'binance' }, /apiKeyFile is missing.*secretFile is missing/],
    [{ exchange: 'binance', ...files, secret: 'here' }, /secret is unknown/],
  ])('%j is refused', (given, why) => {
    expect(() => readShape(VENUE_SHAPE, given)).toThrow(why)
  })

  test('a file that is not there is named, and nothing of its content', () => {
    expect(() => openVenue(venueSettingsOf({ exchange: 'binance', ...files, secretFile: join(dir, 'none') }))).toThrow(
      /none can't be read \(ENOENT\)/,
    )
  })
})
