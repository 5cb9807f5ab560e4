/** Decisions about a withdrawal without I/O: its states, postings, notifications, fee and destination. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Network } from '@bursar/chainkit'
import type { FeeRate } from '../../adapters/chains/port.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { moveOf } from '../../platform/base/moves.ts'
import { outgoingMoves } from '../../chain/transactions/machine.ts'
import { checkDestination } from './request.ts'
import { withdrawalMoves, type WithdrawalEvent, type WithdrawalState } from './machine.ts'
import { captureItem, costItem, deliverItem, holdTransfer, releaseItem, transitItem } from './postings.ts'
import { networkCost, withdrawalFee } from './terms.ts'
import { withdrawalNotices } from './notice.ts'
import type { Withdrawal } from './withdrawal.ts'

/** No address that is refused for another reason, as the first 65,536 are. */
const TOKEN = '0xdac17f958d2ee523a2206206994597c13d831ec7'
/** Base58 keeps its case. */
const TRON_TOKEN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const limits = { minDeposit: '0', minWithdrawal: '0' }
const catalogue = createCatalogue({
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, ...limits } } },
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, ...limits } } },
    { ticker: 'BNB', name: 'BNB', networks: { BINANCE_SMART_CHAIN: { decimals: 18, ...limits } } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: { contract: TOKEN, decimals: 6, ...limits, withdrawalFee: { fixed: '1', bps: 10 } },
        BINANCE_SMART_CHAIN: { contract: TOKEN, decimals: 18, ...limits },
        TRON: { contract: TRON_TOKEN, decimals: 6, ...limits },
      },
    },
  ],
  fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }],
})

describe('the state table', () => {
  test('ends in settled, delivered and failed, and only there', () => {
    const ends = (Object.keys(withdrawalMoves) as WithdrawalState[]).filter(
      (s) => Object.keys(withdrawalMoves[s]).length === 0,
    )
    expect(ends.toSorted()).toEqual(['delivered', 'failed', 'settled'])
  })

  test('money is released or captured exactly on the way into an end state, once', () => {
    for (const state of Object.keys(withdrawalMoves) as WithdrawalState[]) {
      for (const event of Object.keys(withdrawalMoves[state]) as WithdrawalEvent[]) {
        const { to, effects } = moveOf(withdrawalMoves, state, event)!
        const ends = ['settled', 'delivered', 'failed'].includes(to)
        const settles = effects.filter((e) => e === 'capture' || e === 'release' || e === 'deliver')
        expect(settles).toHaveLength(ends ? 1 : 0)
      }
    }
  })

  test('only a withdrawal that waits, or whose transaction had no effect, fails', () => {
    const failing = Object.entries(withdrawalMoves).flatMap(([state, moves]) =>
      Object.entries(moves).flatMap(([event, move]) => (move.to === 'failed' ? [`${state} ${event}`] : [])),
    )
    expect(failing).toEqual(['requested given-up', 'mined reverted'])
  })

  test('L22 only the proof that it can never be mined leads from a signed transaction back to waiting', () => {
    const back = (state: 'sent' | 'mined') =>
      Object.entries(withdrawalMoves[state])
        .filter(([, { to }]) => to === 'requested')
        .map(([event]) => event)
    expect([back('sent'), back('mined')]).toEqual([['superseded'], []])
    expect(Object.keys(outgoingMoves.signed).toSorted()).toEqual(['accepted', 'superseded'])
    expect(Object.keys(outgoingMoves.planned).toSorted()).toEqual(['refused', 'signed'])
  })
})

describe('postings', () => {
  let n = 0
  const moment = { at: new Date(0), newId: () => `id-${(n += 1)}` }
  const withdrawal = (units: bigint, fee: bigint): Withdrawal => ({
    merchantId: 'm',
    id: 'w',
    intentId: 'i',
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to: 'x',
    units,
    fee,
    localId: null,
    meta: null,
    state: 'requested',
    failReason: null,
    internal: false,
    holdId: 'h',
    outgoingId: null,
    doneSent: false,
    notifiedAs: null,
    createdAt: new Date(0),
  })
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
  type Sums = Map<string, { posted: bigint; held: bigint }>
  const apply = (sums: Sums, entries: ReturnType<typeof releaseItem>['transfer']['entries']): Sums => {
    for (const { account, posted, held } of entries) {
      const key = `${account.asset}/${account.kind}`
      const sum = sums.get(key) ?? { posted: 0n, held: 0n }
      sums.set(key, { posted: sum.posted + posted, held: sum.held + held })
    }
    return sums
  }

  test('every way a withdrawal can end leaves nothing held and nothing in transit, and adds up to zero per asset', () => {
    fc.assert(
      fc.property(
        amount,
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.bigInt({ min: 0n, max: 10n ** 18n }),
        (units, fee, gas) => {
          const w = withdrawal(units, fee)
          const out = transitItem(w, gas, 'out', moment)
          const back = transitItem(w, gas, 'back', moment)
          const cost = costItem(w, gas, 'out', moment)
          const ways = [
            [out, captureItem(w, moment)],
            [out, back, out, captureItem(w, moment)],
            [cost, releaseItem(w, moment)],
            [releaseItem(w, moment)],
            [deliverItem(w, moment)],
          ]
          for (const way of ways) {
            const sums = way.reduce<Sums>(
              (s, i) => apply(s, i.transfer.entries),
              apply(new Map(), holdTransfer(w).entries),
            )
            expect(sums.get('USDT/merchant')!.held).toBe(0n)
            expect(sums.get('USDT/transit:ETHEREUM')?.posted ?? 0n).toBe(0n)
            for (const asset of ['USDT', 'ETH']) {
              const total = [...sums].filter(([k]) => k.startsWith(asset)).reduce((s, [, v]) => s + v.posted, 0n)
              expect(total).toBe(0n)
            }
          }
        },
      ),
    )
  })
})

test('audit C-18: a notification shows the destination as its merchant wrote it', () => {
  const [asset, carried] = [catalogue.findCrypto('USDT')!, { hash: null, from: [], block: null }]
  const withdrawal: Withdrawal = {
    merchantId: 'm',
    id: 'w',
    intentId: 'i',
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to: 'canonical',
    toAsSent: 'AS SENT',
    units: 1n,
    fee: 0n,
    localId: null,
    meta: null,
    state: 'requested',
    failReason: null,
    internal: false,
    holdId: 'h',
    outgoingId: null,
    doneSent: false,
    notifiedAs: null,
    createdAt: new Date(0),
  }
  for (const status of ['Pending', 'Done', 'Failed'] as const)
    expect(withdrawalNotices(withdrawal, asset, status, carried)).toMatchObject([{ status, body: { to: 'AS SENT' } }])
})

describe('the fee', () => {
  const E18 = 10n ** 18n
  const prices = new Map([
    ['ETH', 2000n * E18],
    ['USDT', E18],
  ])
  const gas = { kind: 'gas', legacy: false, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } as const
  const usdt = catalogue.findCrypto('USDT')!
  const on = usdt.networks.get('ETHEREUM')!

  test('is the tariff plus the gas of a transfer at its price, rounded up to the decimals of the network', () => {
    // 65,000 gas x 10 gwei = 0.00065 ETH = 1.3 USDT; 1 + 0.1 % of 100.
    expect(withdrawalFee({ asset: usdt, on, units: 100n * E18, rate: gas, catalogue, prices })).toBe(24n * 10n ** 17n)
    const odd = new Map([
      ['ETH', 1999n * E18 + 1n],
      ['USDT', E18],
    ])
    const fee = withdrawalFee({ asset: usdt, on, units: 100n * E18, rate: gas, catalogue, prices: odd })!
    expect(fee % 10n ** 12n).toBe(0n)
    expect(fee > 23n * 10n ** 17n).toBe(true)
  })

  /** EIP-8037 with 1,530 gas a byte: 120 bytes of a new account, 64 of a holder's balance. */
  test.for([
    ['of a token, as its node estimates it today', 'USDT', 63_200n, 65_000n],
    ['of a token whose transfers take more', 'USDT', 163_000n, 163_000n],
    ['of coin, as its node estimates it today', 'ETH', 21_000n, 21_000n],
    ['of coin to an account that the chain does not know, with EIP-8037', 'ETH', 204_600n, 204_600n],
    ['where nothing was estimated', 'ETH', undefined, 21_000n],
  ] as const)('audit D-E14: row Fees, is of the gas that a payment %s takes', ([, ticker, estimate, charged]) => {
    const asset = catalogue.findCrypto(ticker)!
    const at = asset.networks.get('ETHEREUM')!
    const fee = (gasOf: bigint | undefined): bigint =>
      withdrawalFee({ asset, on: at, units: 0n, rate: gas, gas: gasOf, catalogue, prices })!
    const perGas = ticker === 'ETH' ? 10n ** 10n : 2000n * 10n ** 10n
    const tariff = fee(undefined) - (ticker === 'ETH' ? 21_000n : 65_000n) * perGas
    expect(fee(estimate)).toBe(tariff + charged * perGas)
  })

  test('is unknown without a price that it needs', () => {
    expect(
      withdrawalFee({ asset: usdt, on, units: E18, rate: gas, catalogue, prices: new Map([['USDT', E18]]) }),
    ).toBeUndefined()
  })

  test("needs no price for the network's own coin", () => {
    const btc = catalogue.findCrypto('BTC')!
    const rate = { kind: 'vbyte', milliSatPerVb: 2000n } as const
    expect(
      withdrawalFee({ asset: btc, on: btc.networks.get('BITCOIN')!, units: 1n, rate, catalogue, prices: new Map() }),
    ).toBe(290n)
  })

  describe("a network's cost in USD", () => {
    const feeRates = new Map<Network, FeeRate>([
      ['ETHEREUM', gas],
      ['BITCOIN', { kind: 'vbyte', milliSatPerVb: 2000n }],
    ])
    const costOf = (ticker: string, network: 'ETHEREUM' | 'BITCOIN' | 'TRON', paymentGas = new Map()) =>
      networkCost({ feeRates, paymentGas, prices }, catalogue, ticker, network)

    test("is that of a withdrawal's fee, without the tariff", () => {
      expect(costOf('USDT', 'ETHEREUM')).toBe(13n * 10n ** 17n)
      expect(costOf('ETH', 'ETHEREUM')).toBe(42n * 10n ** 16n)
      expect(costOf('ETH', 'ETHEREUM', new Map([['ETHEREUM', new Map([['ETH', 210_000n]])]]))).toBe(42n * 10n ** 17n)
    })

    test('is unknown without an estimate, without a price of the coin, and where the asset is not on the network', () => {
      expect([costOf('USDT', 'TRON'), costOf('BTC', 'BITCOIN'), costOf('BTC', 'ETHEREUM')]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    })
  })
})

describe('destinations', () => {
  const rules = { bitcoinChain: 'mainnet', catalogue } as const
  test.each([
    ['BITCOIN', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', true],
    ['BITCOIN', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv', false],
    ['BITCOIN', 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk', false],
    ['BITCOIN', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', false],
    ['ETHEREUM', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', true],
    ['ETHEREUM', '0x9858effd232b4033e47d90003d41ec34ecaeda94', true],
    ['ETHEREUM', '0x9858EfFD232B4033E47d90003D41EC34EcaEda95', false],
    ['ETHEREUM', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', false],
    ['ETHEREUM', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', false],
    ['ETHEREUM', '0x0000000000000000000000000000000000000000', false],
    ['ETHEREUM', TOKEN, false],
    ['TRON', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', true],
    ['TRON', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdh', false],
    ['TRON', '41c8599111f29c1e1e061265b4af93ea1f274ad78a', false],
    ['TRON', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', false],
    ['TRON', TRON_TOKEN, false],
  ] as const)('%s: a withdrawal to %s is accepted: %s', (network, to, ok) => {
    expect(checkDestination(network, to, rules).ok).toBe(ok)
  })
})
