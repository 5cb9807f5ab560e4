import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClientAddress, subjectOf } from './client-address.ts'

describe('the address of a client', () => {
  const request = (remoteAddress: string, forwarded?: string) =>
    ({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    }) as unknown as IncomingMessage

  test.each([
    ['203.0.113.1', undefined, '203.0.113.1'],
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['fd00::1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.1', '198.51.100.1:5555', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.1:80, 10.0.0.2:443', '198.51.100.1'],
    ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['10.0.0.1', '[::ffff:198.51.100.1]:9', '198.51.100.1'],
    ...[
      'nonsense',
      'unknown',
      '_hidden',
      '198.51.100.256',
      '198.51.100.1:port',
      '198.51.100.1:5:5',
      '198.51.100.1 5',
    ].map((hop): [string, string, string] => ['10.0.0.1', `1.1.1.1, ${hop}`, '10.0.0.1']),
    ['10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
  ])('audit S-18: %s with %s is %s', (remote, forwarded, expected) => {
    expect(createClientAddress(['10.0.0.0/8', 'fd00::/8'])(request(remote, forwarded))).toBe(expected)
  })

  test('is that of the connection where no proxy is trusted', () => {
    expect(createClientAddress([])(request('10.0.0.1', '198.51.100.1'))).toBe('10.0.0.1')
  })

  test.each([
    ['203.0.113.1', '203.0.113.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:DB8:0001:02::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['nonsense', 'nonsense'],
    ['fe80::1%eth0.100-a', 'fe80:0:0:0'],
  ])('%s stands for %s', (address, subject) => expect(subjectOf(address)).toBe(subject))
})
