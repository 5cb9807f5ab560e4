import { describe, expect, test } from 'vitest'
import { useEdge } from '../../../../test/world/edge.ts'

const edge = useEdge({ unbuilt: [] })

/**
 * Other spellings of paths that are served: one letter encoded, slashes and dots put in, other cases, other beginnings.
 */
const spellings = (): string[] => {
  const paths = [
    '/merchants/assets/crypto',
    '/merchants/balances',
    '/merchants/withdrawals/crypto/fee',
    '/merchants/exchange/available-directions',
  ]
  return paths.flatMap((path) => {
    const at = [...path].map((_, i) => i)
    const encode = (i: number): string => `${path.slice(0, i)}%${path.charCodeAt(i).toString(16)}${path.slice(i + 1)}`
    return [
      ...at.map(encode),
      ...at.map((i) => encode(i).toUpperCase()),
      ...at
        .filter((i) => path[i] === '/')
        .flatMap((i) =>
          ['/', '/.', '/..', '/./', '/../', '/%2e', '/%2e%2e', '/%2f', '//', '/;', '\\'].map(
            (put) => path.slice(0, i) + put + path.slice(i),
          ),
        ),
      ...at
        .slice(1)
        .map((i) => path.slice(0, i) + path[i]!.toUpperCase() + path.slice(i + 1))
        .filter((other) => other !== path),
      ...[
        '//',
        '/.',
        '/..',
        '%2f',
        '%00',
        '%20',
        ';a=b',
        '#',
        '#x',
        '.json',
        '..',
        '%3f',
        '\\',
        '/%2e',
        '*',
        '~',
        '/x',
        '%',
        "'",
        '"',
        ',',
        '+',
      ].map((end) => path + end),
      `http://evil.example${path}`,
      `https://127.0.0.1${path}`,
      `HTTP://evil.example${path}`,
      `//evil.example${path}`,
      `/\\evil.example${path}`,
      path.slice(1),
      `*${path}`,
      `?${path}`,
    ]
  })
}

describe('other spellings of a path', () => {
  test('A4 are never served, in 500 ways', async () => {
    const all = [...new Set(spellings())]
    expect(all.length).toBeGreaterThan(500)
    edge.handled.length = 0
    for (const target of all) {
      const answer = await edge.call('GET', target)
      expect([400, 404], target).toContain(answer.status)
      expect(answer.body.code, target).toBe(answer.status === 404 ? 101 : 100)
      expect(answer.body.description).toBeTruthy()
      if (/\/\/|%2e|%2f|\.\.|#|^http|\\/i.test(target)) expect(answer.status, target).toBe(400)
    }
    expect(edge.handled).toEqual([])
  })

  test.each([
    '/',
    '/merchants',
    '/merchants/',
    '/Merchants/balances',
    '/api/merchants/balances',
    '/favicon.ico',
    '/.env',
    '/merchants/balances/x',
  ])('%s is not found', async (target) => {
    const answer = await edge.raw('GET', target, [])
    expect(answer.status).toBe(target.includes('.') ? 400 : 404)
    expect(answer.body.requestId).toBe(answer.headers['x-request-id'])
  })

  test('bytes beyond ASCII in a target', async () => {
    const text = await edge.bytes(
      Buffer.from('GET /merchants/b\xe4lances HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'latin1'),
    )
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    const query = await edge.bytes(
      Buffer.from('GET /merchants/balances?tickers=\xe4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'latin1'),
    )
    expect(query).toMatch(/^HTTP\/1\.1 400 /)
  })
})
