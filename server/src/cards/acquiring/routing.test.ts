import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AcquirerCapabilities } from '../../adapters/acquirers/port.ts'
import { createRoutingTable, healthKey, requireRanges, routeOf, type RoutingRule } from './routing.ts'

const account = (name: string, payIn: AcquirerCapabilities['payIn'], payout: AcquirerCapabilities['payout'] = {}) => ({
  name,
  capabilities: { payIn, payout, refund: true, statement: true },
})
const uah = (least: bigint, most: bigint): AcquirerCapabilities['payIn'] => ({ UAH: { least, most } })
const rule = (least: bigint, most: bigint, ...acquirers: string[]): RoutingRule => ({
  direction: 'payIn',
  ticker: 'UAH',
  least,
  most,
  acquirers,
})

const accounts = [
  account('small', uah(1n, 1_000n)),
  account('large', uah(500n, 10_000n)),
  account('kzt', { KZT: { least: 1n, most: 9n } }),
]
const payIn = (units: bigint) => ({ direction: 'payIn', ticker: 'UAH', units }) as const
const healthy = new Set<string>()

describe('routes', () => {
  test('an order goes to those whose limits it fits, in the order of the configuration', () => {
    const table = createRoutingTable(accounts)
    expect(routeOf(table, payIn(1n), healthy)).toEqual(['small'])
    expect(routeOf(table, payIn(500n), healthy)).toEqual(['small', 'large'])
    expect(routeOf(table, payIn(1_000n), healthy)).toEqual(['small', 'large'])
    expect(routeOf(table, payIn(1_001n), healthy)).toEqual(['large'])
    expect(routeOf(table, payIn(10_001n), healthy)).toEqual([])
    expect(routeOf(table, { direction: 'payout', ticker: 'UAH', units: 600n }, healthy)).toEqual([])
  })

  test('the first rule that fits decides, and can leave an acquirer out', () => {
    const table = createRoutingTable(accounts, [rule(0n, 599n, 'small'), rule(600n, 800n, 'large', 'small')])
    expect(routeOf(table, payIn(550n), healthy)).toEqual(['small'])
    expect(routeOf(table, payIn(700n), healthy)).toEqual(['large', 'small'])
    expect(routeOf(table, payIn(900n), healthy)).toEqual(['small', 'large'])
  })

  test('a failing account comes last, only in the direction in which it fails', () => {
    const table = createRoutingTable(accounts)
    expect(routeOf(table, payIn(700n), new Set([healthKey('small', 'payIn')]))).toEqual(['large', 'small'])
    expect(routeOf(table, payIn(700n), new Set([healthKey('small', 'payout')]))).toEqual(['small', 'large'])
    expect(routeOf(table, payIn(700n), new Set([healthKey('small', 'payIn'), healthKey('large', 'payIn')]))).toEqual([
      'small',
      'large',
    ])
  })

  test('regardless of failures, every account that can take the payment is listed, and no other', () => {
    const amounts = fc.bigInt({ min: 0n, max: 12_000n })
    fc.assert(
      fc.property(amounts, fc.subarray(['small', 'large', 'kzt']), (units, failing) => {
        const table = createRoutingTable(accounts)
        const route = routeOf(table, payIn(units), new Set(failing.map((name) => healthKey(name, 'payIn'))))
        expect(route.toSorted()).toEqual(routeOf(table, payIn(units), healthy).toSorted())
        const firstFailing = route.findIndex((name) => failing.includes(name))
        if (firstFailing >= 0) expect(route.slice(firstFailing).every((name) => failing.includes(name))).toBe(true)
      }),
    )
  })

  test('a table that contradicts itself is refused with the name in it', () => {
    expect(() => createRoutingTable([...accounts, account('small', {})])).toThrow('small is listed twice')
    expect(() => createRoutingTable([account('a b', {})])).toThrow('letters, digits and dashes')
    expect(() => createRoutingTable(accounts, [rule(1n, 2n, 'unknown')])).toThrow('names unknown')
    expect(() => createRoutingTable(accounts, [rule(3n, 2n, 'small')])).toThrow('least is above')
  })
})

describe('limits', () => {
  const kzt = (payout: { least: bigint; most: bigint }) => [{ ticker: 'KZT', payIn: { least: 0n, most: 1n }, payout }]
  const table = createRoutingTable([
    account('small', {}, { KZT: { least: 1_00n, most: 14_500_00n } }),
    account('uah', uah(1n, 2n)),
  ])

  test('audit C-1: that leave no amount of a currency are refused, and both are named', () => {
    expect(() => requireRanges(table, kzt({ least: 20_000_00n, most: 299_000_00n }))).toThrow(
      'payout of KZT: small takes 1 to 14500, and the platform 20000 to 299000',
    )
  })

  test('that have one amount in common, or that no account offers, are taken', () => {
    expect(() => requireRanges(table, kzt({ least: 14_500_00n, most: 299_000_00n }))).not.toThrow()
    expect(() => requireRanges(createRoutingTable([]), kzt({ least: 20_000_00n, most: 299_000_00n }))).not.toThrow()
  })
})
