import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAddress, parseRange } from './address.ts'
import { createGuard } from './guard.ts'
import { targetOf } from './target.ts'

const none = createGuard([])
const byte = fc.integer({ min: 0, max: 255 })

describe('addresses', () => {
  test('reads every spelling of one IPv6 address as the same bytes', () => {
    const spellings = [
      '2a00:1450:4001::1',
      '2A00:1450:4001:0:0:0:0:1',
      '2a00:1450:4001::0.0.0.1',
      '2a00:1450:4001:0::0:1',
    ]
    const bytes = [0x2a, 0, 0x14, 0x50, 0x40, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    for (const text of spellings) expect(parseAddress(text)!.toByteArray()).toEqual(bytes)
  })
  test("agrees with Node's own reading of random IPv6 addresses", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const list = new BlockList()
        list.addAddress(text, 'ipv6')
        expect([text, list.check(parseAddress(text)!.toString(), 'ipv6')]).toEqual([text, true])
      }),
    )
  })
  test('reads the deprecated form of an IPv4 address within IPv6 as that form, not as a mapped address', () => {
    expect(parseAddress('::127.0.0.1')!.toByteArray()).toEqual([...Array<number>(12).fill(0), 127, 0, 0, 1])
  })
  test('reads nothing else', () => {
    for (const text of [
      '',
      '1',
      '0x7f.1',
      '127.1',
      '1.2.3.256',
      'fe80::1%eth0',
      '[::1]',
      '::1/128',
      'localhost',
      '1.2.3.4 ',
    ]) {
      expect(parseAddress(text)).toBeNull()
    }
  })
  test('refuses ranges that say something else than they seem to', () => {
    for (const text of ['10.0.0.0', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '::1/127', 'x/8']) {
      expect(() => parseRange(text)).toThrow(RangeError)
    }
  })
})

describe('allowed and refused addresses', () => {
  test('public addresses', () => {
    for (const text of [
      '1.1.1.1',
      '8.8.8.8',
      '93.184.216.34',
      '100.63.255.255',
      '100.128.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '223.255.255.255',
      '2a00:1450:4001:82a::200e',
      '2606:4700:4700::1111',
      '::ffff:8.8.8.8',
      '64:ff9b::8.8.8.8',
    ])
      expect([text, none(text)]).toEqual([text, null])
  })
  test('nothing in a private range, spelled as IPv4, mapped or by NAT64', () => {
    const inRange = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
      fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
      fc.tuple(fc.constant(0), byte, byte, byte),
    )
    fc.assert(
      fc.property(inRange, (bytes) => {
        const text = bytes.join('.')
        for (const form of [text, `::ffff:${text}`, `64:ff9b::${text}`])
          expect([form, none(form)]).not.toEqual([form, null])
      }),
    )
  })
  test('only 2000::/3 of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const bits = BigInt(`0x${Buffer.from(parseAddress(text)!.toByteArray()).toString('hex')}`)
        const carriesIpv4 = bits >> 32n === 0xffffn || bits >> 32n === 0x0064_ff9bn << 64n
        if (bits >> 125n !== 1n && !carriesIpv4) expect(none(text)).not.toBeNull()
      }),
    )
  })
  test('a text that is no address is refused', () => {
    for (const text of ['', 'localhost', '0x7f.1', '127.1', 'fe80::1%1']) expect(none(text)).toBe('not an address')
  })
  test('an exception opens its own range, in every form, and no more', () => {
    const guard = createGuard(['127.0.0.0/8', 'fd00::/64'])
    for (const text of ['127.0.0.1', '127.9.9.9', '::ffff:127.0.0.1', 'fd00::1']) expect(guard(text)).toBeNull()
    for (const text of ['::1', '10.0.0.1', 'fd00:0:0:1::1', '169.254.169.254', '::127.0.0.1'])
      expect(guard(text)).not.toBeNull()
  })
})

describe('audit S-20: ports', () => {
  const ports = [
    { least: 443, most: 443 },
    { least: 1_024, most: 2_000 },
  ]
  test.each([
    'https://shop.example/',
    'https://shop.example:443/',
    'http://shop.example:1024/',
    'https://shop.example:2000/x?y',
  ])('%s is among those allowed', (url) => {
    expect(targetOf(url, { allowHttp: true, ports }).origin).toBe(new URL(url).origin)
  })
  test.each([
    'http://shop.example/',
    'https://shop.example:25/',
    'http://shop.example:2001/',
    'http://shop.example:22/',
  ])('nothing is sent to %s', (url) => {
    expect(() => targetOf(url, { allowHttp: true, ports })).toThrow(/port \d+: see BURSAR_WEBHOOK_PORTS/)
  })
})
