import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dangerSignalKeys, signalKeys } from '@bursar/contract'
import { FAULTS, startScreening, type ScreeningEmulator } from '../../../../sandbox/screening/index.ts'
import { createAmlbot } from './amlbot.ts'
import { describeScreener, settle } from './conformance.ts'
import { createIssuerFreezes } from './issuer-freezes.ts'
import { createLocalLists, type ListAnswer } from './local-lists.ts'
import { ScreeningUnavailable, type Subject } from './port.ts'
import { noSignals, signalsOf } from './signals.ts'

const KEYS = { accessId: 'ID-1', accessKey: 'key-1' }
let emulator: ScreeningEmulator
beforeAll(async () => {
  emulator = await startScreening({ port: 0, ...KEYS })
})
afterAll(() => emulator.stop())
beforeEach(() => {
  emulator.setFault(undefined)
  emulator.setData(undefined)
})

const deposit = (transaction: string): Subject => ({
  network: 'TRON',
  asset: 'USDT',
  direction: 'deposit',
  transaction,
  own: 'TOurs',
  others: ['TStranger'],
})
const withdrawal = (destination: string): Subject => ({
  network: 'ETHEREUM',
  asset: 'ETH',
  direction: 'withdrawal',
  transaction: null,
  own: null,
  others: [destination],
})
const amlbot = (more: object = {}) => createAmlbot({ url: emulator.url, ...KEYS, timeoutMs: 1_000, ...more }, Date.now)

const listed = '0xabcdef0000000000000000000000000000009999'
let list: ListAnswer = { complete: true, listed: [] }
const answerOf = async (addresses: readonly string[]): Promise<ListAnswer> => ({
  complete: list.complete,
  listed: addresses
    .filter((one) => one.toLowerCase() === listed)
    .map((address) => ({ address, list: 'OFAC SDN', name: 'LISTED PERSON' })),
})

describeScreener('local lists', () => ({
  screener: createLocalLists(answerOf, Date.now),
  clean: withdrawal('0xabcdef0000000000000000000000000000000001'),
  sanctioned: withdrawal(listed.toUpperCase().replace('0X', '0x')),
  fail: () => {
    list = { complete: false, listed: [] }
  },
  mend: () => {
    list = { complete: true, listed: [] }
  },
}))

let node = true
describeScreener('issuer freezes', () => ({
  screener: createIssuerFreezes(async (network, address) => {
    if (!node) throw new Error('the node is away')
    return network === 'BITCOIN' ? undefined : address === '0xfrozen' ? ['USDT'] : []
  }, Date.now),
  clean: withdrawal('0x01'),
  sanctioned: withdrawal('0xfrozen'),
  danger: 'enforcement_action',
  fail: () => {
    node = false
  },
  mend: () => {
    node = true
  },
}))

/** Pending, asked again by its uid, signed by the key: row S-2. */
describeScreener('AMLBot, transactions', () => ({
  screener: amlbot(),
  clean: deposit('aa01'),
  sanctioned: deposit('aa9999'),
  slow: deposit('aa9994'),
  fail: () => emulator.setFault('down'),
  mend: () => emulator.setFault(undefined),
}))

describeScreener('AMLBot, addresses', () => ({
  screener: amlbot(),
  clean: withdrawal('0x01'),
  sanctioned: withdrawal('0x009999'),
  slow: withdrawal('0x9995'),
}))

describe('AMLBot', () => {
  test.each(FAULTS)('when it is %s nothing is known', async (fault) => {
    emulator.setFault(fault)
    await expect(amlbot().screen(deposit('aa01'))).rejects.toThrow(ScreeningUnavailable)
  })

  // A printed answer of 2020 in a public plugin for exchangers has 18 signals and `blackListsConnections` empty; Go and
  // TypeScript clients read a number or a text for each number and booleans for both flags. That an empty map comes as
  // `[]` is how PHP's json_encode prints one.
  test.each([
    [[], 0],
    [{}, 0],
    [{ mixer: '0.505' }, 51],
    [{ mixer: 0.505 }, 51],
  ])('audit D-B9: signals %j are read (row S-3)', async (signals, mixer) => {
    emulator.setData({ signals, riskscore: '0.25' })
    expect(await settle(amlbot(), deposit('aa01'))).toMatchObject({ riskScore: 0.25, signals: { mixer }, flags: [] })
  })

  test.each([
    [{ riskscore: 'high' }],
    [{ riskscore: null }],
    [{ riskscore: '1.01' }],
    [{ signals: ['mixer'] }],
    [{ signals: null }],
    [{ signals: { mixer: '' } }],
    [{ blackListsConnections: 'perhaps' }],
  ])('audit D-B9: data that is not understood is no report, %j (row S-3)', async (data) => {
    emulator.setData(data)
    await expect(amlbot().screen(deposit('aa01'))).rejects.toThrow(ScreeningUnavailable)
  })

  test.each([
    [{ hasBlackListFlag: true }, 1],
    [{ hasBlackListFlag: '1' }, 1],
    [{ blackListsConnections: true }, 1],
    [{ blackListsConnections: ['OFAC'] }, 1],
    [{ hasBlackListFlag: 1, blackListsConnections: 1 }, 2],
    [{ blackListsConnections: '', hasBlackListFlag: null }, 0],
    [{ blackListsConnections: [] }, 0],
  ])('audit D-B9: a black list makes it risky, in either member, %j (row S-3)', async (data, flags) => {
    emulator.setData(data)
    expect((await settle(amlbot(), deposit('aa01'))).flags).toHaveLength(flags)
  })

  test('audit D-B9: a page of Cloudflare for an address that is not allowed is no answer, and says its status (row S-1)', async () => {
    emulator.setFault('blocked')
    await expect(amlbot().screen(deposit('aa01'))).rejects.toThrow('amlbot: it answered HTTP 403')
  })

  test('a wrong key is reported as the provider says it, and never the key (row S-1)', async () => {
    const asking = amlbot({ accessKey: 'wrong-key' }).screen(deposit('aa01'))
    await expect(asking).rejects.toThrow('Access denied')
    await expect(asking).rejects.not.toThrow('wrong-key')
  })

  test('sends a deposit as its transaction with our address, and a destination as an address (row S-2)', async () => {
    await amlbot().screen(deposit('aa77'))
    expect(emulator.asked.at(-1)).toMatchObject({
      hash: 'aa77',
      address: 'TOurs',
      direction: 'deposit',
      asset: 'TRX',
      accessId: 'ID-1',
      path: '/',
    })
    await amlbot({ assets: { 'ETHEREUM/ETH': 'ETHER' } }).screen(withdrawal('0x77'))
    expect(emulator.asked.at(-1)).toMatchObject({ hash: '0x77', asset: 'ETHER' })
    expect(emulator.asked.at(-1)).not.toHaveProperty('direction')
  })

  test('fractions become whole percents that add up; unknown signals count as other; the answer is stored', async () => {
    const mixed = await settle(amlbot(), deposit('aa9998'))
    expect(mixed).toMatchObject({
      riskScore: 0.875,
      signals: { mixer: 51, dark_market: 28, exchange: 21 },
      raw: { data: { riskscore: 0.875 } },
    })
    expect((await settle(amlbot(), deposit('aa9996'))).signals).toMatchObject({ exchange: 90, other: 10 })
  })

  test('a port without a listener gives no answer', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => void server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => void server.close(resolve))
    await expect(amlbot({ url: `http://127.0.0.1:${port}` }).screen(deposit('aa01'))).rejects.toThrow(
      'no answer: ECONNREFUSED (nothing listens there',
    )
  })
})

describe('percents', () => {
  const totalOf = (signals: Readonly<Record<string, number>>): number =>
    Object.values(signals).reduce((sum, percent) => sum + percent, 0)
  const thousandths = fc.integer({ min: 0, max: 1_000 })

  test('of every number of thousandths are rounded half up', () => {
    fc.assert(
      fc.property(thousandths, fc.constantFrom(...signalKeys), (part, key) => {
        expect(signalsOf({ [key]: Number(`${part}e-3`) })).toEqual({
          ...noSignals(),
          [key]: Math.floor((part + 5) / 10),
        })
      }),
    )
  })

  test('of parts of a whole add up to 100, and none is a whole percent off', () => {
    const harmless = signalKeys.filter((key) => !(dangerSignalKeys as readonly string[]).includes(key))
    fc.assert(
      fc.property(fc.uniqueArray(thousandths, { maxLength: harmless.length - 1 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), 1_000]
        const parts = edges.slice(1).map((edge, i) => edge - edges[i]!)
        const signals = signalsOf(Object.fromEntries(parts.map((part, i) => [harmless[i]!, part / 1_000])))
        expect(totalOf(signals)).toBe(100)
        for (const [i, part] of parts.entries()) expect(Math.abs(signals[harmless[i]!] * 10 - part)).toBeLessThan(10)
      }),
    )
    expect(totalOf(signalsOf({ exchange: 0.334, miner: 0.333, wallet: 0.333 }))).toBe(100)
  })

  test('of a dangerous signal are 0 exactly below half a percent, independently of the other signals', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...signalKeys), thousandths), thousandths, (others, part) => {
        const fractions = Object.entries(others).map(([key, one]) => [key, one / 1_000])
        const { sanctions } = signalsOf({ ...Object.fromEntries(fractions), sanctions: part / 1_000 })
        expect(sanctions > 0).toBe(part >= 5)
      }),
    )
    expect(signalsOf({ exchange: 0.333, miner: 0.333, wallet: 0.33, sanctions: 0.004 }).sanctions).toBe(0)
    expect(signalsOf({ exchange: 0.998, sanctions: 0.002 })).toMatchObject({ exchange: 100, sanctions: 0 })
    expect(signalsOf({ exchange: 0.4965, miner: 0.4985, sanctions: 0.005 }).sanctions).toBe(1)
  })

  test.each([-0.1, 1.01, Number.NaN, Infinity, '0.5', null])('refuse %s', (fraction) => {
    expect(() => signalsOf({ exchange: fraction })).toThrow(RangeError)
  })

  test('round a tiny part to zero, and never exceed a whole', () => {
    expect(signalsOf({ exchange: 1e-9, scam: 1e-300 })).toEqual(noSignals())
    expect(signalsOf({ strange: 0.8, stranger: 0.7 })).toEqual({ ...noSignals(), other: 100 })
  })
})
