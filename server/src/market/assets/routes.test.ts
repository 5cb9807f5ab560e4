import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { listCryptoAssets, listFiatAssets } from '@bursar/contract'
import type { ApiRequest } from '../../platform/api/route.ts'
import { assetRoutes, createCatalogue } from './index.ts'

const E18 = 10n ** 18n
const on = (decimals: number) => ({ decimals, minDeposit: '0', minWithdrawal: '0' })
const catalogue = createCatalogue({
  crypto: [
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: { ETHEREUM: { ...on(6), contract: '0x1' }, BINANCE_SMART_CHAIN: { ...on(18), contract: '0x2' } },
    },
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: on(8) } },
  ],
  fiat: [
    { ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 },
    { ticker: 'KZT', name: 'Kazakhstani tenge', scale: 2 },
  ],
})
const request: ApiRequest = {
  merchantId: 'm',
  params: {},
  query: {},
  body: undefined,
  keyId: randomUUID(),
  requestId: 'r',
  answerKeys: [],
}
const list = async (operation: string, prices: Record<string, bigint>): Promise<unknown> => {
  const route = assetRoutes({ catalogue, prices: async () => new Map(Object.entries(prices)) }).find(
    (one) => one.operation === operation,
  )
  const answer = await route!.handle(request)
  return (answer as { body: unknown }).body
}
const ajv = new Ajv()

describe('the lists of assets', () => {
  test('audit C-3 C-9: crypto, by ticker: where each lives, its decimals, and its price in USD when there is one', async () => {
    const body = await list('listCryptoAssets', { BTC: 65_003n * E18 + E18 / 2n, UAH: E18 / 41n })
    expect(body).toEqual([
      {
        name: 'Bitcoin',
        ticker: 'BTC',
        blockchains: ['BITCOIN'],
        price: { value: '65003.5', ticker: 'USD' },
        decimals: 8,
        blockchainDecimals: { BITCOIN: 8 },
      },
      {
        name: 'Tether',
        ticker: 'USDT',
        blockchains: ['ETHEREUM', 'BINANCE_SMART_CHAIN'],
        decimals: 6,
        blockchainDecimals: { ETHEREUM: 6, BINANCE_SMART_CHAIN: 18 },
      },
    ])
    expect(ajv.compile(listCryptoAssets.response)(body)).toBe(true)
  })

  test('audit C-3: fiat, by ticker: units of the currency for one USD, as the documented samples read', async () => {
    const body = await list('listFiatAssets', { UAH: (E18 * 100n) / 4021n })
    expect(body).toEqual([
      { name: 'Kazakhstani tenge', ticker: 'KZT', decimals: 2 },
      { name: 'Ukrainian hryvnia', ticker: 'UAH', price: { value: '40.21', ticker: 'USD' }, decimals: 2 },
    ])
    expect(ajv.compile(listFiatAssets.response)(body)).toBe(true)
  })
})
