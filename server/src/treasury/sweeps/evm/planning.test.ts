/** Decisions without I/O: worth, ways, batches, the policy file. */
import { isRefused } from '@bursar/chainkit'
import {
  checksumAddress,
  COIN,
  fromHex,
  parseDraft,
  parseUnsigned,
  sweepContracts,
  sweepMany,
  type Hex,
} from '@bursar/chainkit/evm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../../test/setup/cases.ts'
import { ChainUnavailable, type AccountState } from '../../../adapters/chains/port.ts'
import { createCatalogue } from '../../../market/assets/index.ts'
import { unitsWorth, worthInCoin } from '../coin-worth.ts'
import type { EvmAccount, EvmHolding } from './account.ts'
import { batchGas, fitBatch, MOST_GAS, planBatch, signedGas, type BatchMember } from './batch.ts'
import { chooseAll, chooseWay, type ChoiceWorld, type EvmChoice } from './choice.ts'
import { estimated } from './jobs-batches.ts'
import type { EvmRound } from './sweeping.ts'
import { readShape } from '../../../platform/config/shape.ts'
import { DEFAULT_SWEEP_POLICY, SWEEP_SHAPE, sweepPolicyOf } from '../policy.ts'

const HOT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const TOKEN: Hex = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const contracts = sweepContracts(HOT)
const GWEI = 10n ** 9n
const E18 = 10n ** 18n
const rate = { kind: 'gas' as const, legacy: false, maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI }
const addressAt = (index: number): string => checksumAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`)

const account = (index: number, more: Partial<EvmAccount> & { sweptBefore?: number } = {}): EvmAccount => ({
  holder: {
    address: addressAt(index),
    merchantId: 'm',
    derivationIndex: index,
    sweptBefore: more.sweptBefore ?? 0,
    holdings: [],
  },
  nonce: 0,
  code: '0x',
  coin: 0n,
  ...more,
})
const delegated = (index: number, more: Partial<EvmAccount> = {}): EvmAccount =>
  account(index, { nonce: 1, code: `0xef0100${contracts.delegate.address.slice(2).toLowerCase()}`, ...more })
const held = (on: Hex, worth: bigint): EvmHolding => ({
  asset: on === COIN ? 'ETH' : 'USDT',
  units: 1n,
  since: new Date(0),
  failures: 0,
  on,
  amount: 1n,
  worth,
})
const world: ChoiceWorld = {
  gasPrice: GWEI,
  batchSize: 50,
  setCode: true,
  kPerMille: 1_000n,
  delegate: contracts.delegate.address,
  signed: new Set(),
}

describe('ways', () => {
  test('a way that is cheapest for one address becomes a batch when many share it', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({
      account: account(i),
      holdings: [held(TOKEN, E18)],
      kPerMille: 1_000n,
    }))
    expect(chooseAll(many, world).map(({ way }) => way)).toEqual(Array.from({ length: 10 }, () => 'delegate'))
    expect(chooseAll(many.slice(0, 1), world).map(({ way }) => way)).toEqual(['top-up'])
    expect(chooseAll(many, { ...world, setCode: false }).map(({ way }) => way)).toEqual(
      Array.from({ length: 10 }, () => 'top-up'),
    )
  })

  test('without delegation a token that takes signatures is swept by them, another by a transfer of its own', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({
      account: account(i),
      holdings: [held(TOKEN, E18)],
      kPerMille: 1_000n,
    }))
    expect(
      new Set(chooseAll(many, { ...world, setCode: false, signed: new Set(['USDT']) }).map(({ way }) => way)),
    ).toEqual(new Set(['authorize']))
  })

  test('coin leaves an address that has delegated by its code, together with tokens', () => {
    const [one, holdings] = [delegated(1, { coin: E18 }), [held(COIN, E18)]]
    expect(chooseWay(one, holdings, world)?.way).toBe('delegate')
    expect(chooseWay(one, [...holdings, held(TOKEN, E18)], world)).toMatchObject({
      way: 'delegate',
      holdings: [{ on: TOKEN }, { on: COIN }],
    })
  })

  test('tokens leave before the coin that pays for them', () => {
    const choice = chooseWay(account(1, { coin: E18 }), [held(COIN, E18), held(TOKEN, E18)], {
      ...world,
      setCode: false,
    })
    expect(choice).toMatchObject({ way: 'direct', holdings: [{ on: TOKEN }, { on: COIN }] })
  })
})

describe('batches', () => {
  const members = (leaving: number, staying: number): BatchMember[] => [
    ...Array.from({ length: staying }, (_, i) => ({
      account: delegated(100 + i),
      holdings: [{ ...held(TOKEN, E18), gas: 50_000n }],
    })),
    ...Array.from({ length: leaving }, (_, i) => ({
      account: account(i, { nonce: i }),
      holdings: [{ ...held(TOKEN, E18), gas: 50_000n }],
    })),
  ]

  test('members that authorise have their keys first, in the order of the list, and all are in the call', () => {
    const plan = planBatch({ members: members(2, 2), contracts, chainId: 1n, nonce: 7, rate, hotIndex: 0 })
    const draft = parseDraft(fromHex(plan.unsigned as Hex))
    if (isRefused(draft)) throw new Error(draft.message)
    expect(draft.authorizations.map(({ nonce, chainId, delegate }) => [nonce, chainId, delegate])).toEqual([
      [0n, 1n, contracts.delegate.address],
      [1n, 1n, contracts.delegate.address],
    ])
    expect(plan.signingKeys.map(({ account: of, index }) => `${of} ${index}`)).toEqual([
      'hot 0',
      'deposit 0',
      'deposit 1',
      'deposit 100',
      'deposit 101',
    ])
    expect(sweepMany.decode(draft.data)?.flatMap(({ accounts }) => accounts)).toHaveLength(4)
  })

  /**
   * go-ethereum core/state_transition.go: 25,000 today; EIP-8037 with 1,530 gas a byte: 7,816 + 23 bytes, and 120 bytes
   * for a new account.
   */
  test.for([
    ['today, as nodes estimate it', 25_400n, 27_000n],
    ['where a node estimates none', undefined, 27_000n],
    ['with EIP-8037', 226_600n, 240_762n],
  ] as const)('audit D-E14: row Fees, the limit holds an authorisation %s', ([, authorization, each]) => {
    const rules = { delegate: contracts.delegate.address, authorization }
    const gasOf = (leaving: number): bigint => batchGas(members(leaving, 1), rules)
    expect(gasOf(3) - gasOf(2) - (batchGas(members(0, 3), rules) - batchGas(members(0, 2), rules))).toBe(each)
    const many = fitBatch(members(200, 0), { ...rules, rate, most: 10n ** 20n })
    expect(
      parseDraft(
        fromHex(
          planBatch({ members: many, contracts, authorization, chainId: 1n, nonce: 7, rate, hotIndex: 0 })
            .unsigned as Hex,
        ),
      ),
    ).toMatchObject({ gas: batchGas(many, rules) })
    expect(batchGas(many, rules)).toBeLessThanOrEqual(MOST_GAS)
  })

  test('audit D-E14: row Fees, the limit of a signed transfer grows with the gas of new state', () => {
    expect([undefined, 21_000n, 21_315n].map(signedGas)).toEqual([60_000n, 60_000n, 60_000n])
    // A slot is 64 bytes, an account 120 (EIP-8037).
    expect(signedGas(204_600n)).toBeGreaterThan(60_000n + 64n * 1_530n)
  })

  test('without authorisations it is an ordinary transaction, of the kind the chain has', () => {
    for (const legacy of [true, false]) {
      const { unsigned } = planBatch({
        members: members(0, 3),
        contracts,
        chainId: 1n,
        nonce: 7,
        rate: { ...rate, legacy },
        hotIndex: 0,
      })
      expect(parseUnsigned(fromHex(unsigned as Hex))).toMatchObject({
        type: legacy ? 'legacy' : 'eip1559',
        to: contracts.batch.address,
        value: 0n,
      })
    }
  })

  test('never more than a transaction may carry or cost, and as many as fit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 60 }),
        fc.bigInt({ min: 0n, max: 100_000_000n * 3n * GWEI }),
        (leaving, staying, most) => {
          const all = members(leaving, staying)
          const fitting = fitBatch(all, { delegate: contracts.delegate.address, rate, most })
          const gasOf = (count: number): bigint =>
            batchGas(all.slice(0, count), { delegate: contracts.delegate.address })
          const fits = (count: number): boolean => gasOf(count) <= MOST_GAS && gasOf(count) * rate.maxFeePerGas <= most
          expect(fitting).toEqual(all.slice(0, fitting.length))
          expect(fitting.length === 0 || fits(fitting.length)).toBe(true)
          expect(fitting.length === all.length || !fits(fitting.length + 1)).toBe(true)
        },
      ),
      { numRuns: cases(50) },
    )
  })
})

test('an address whose estimates fail keeps no other from being swept, and its failure is thrown afterwards', async () => {
  const choice = (index: number) =>
    ({ account: delegated(index), holdings: [held(TOKEN, E18)] }) as unknown as EvmChoice
  const state = {
    estimateGas: async ({ from }: { from: string }) => {
      if (from === addressAt(0)) throw new ChainUnavailable('no answer within 30000 ms')
      return { ok: true, gas: 40_000n }
    },
  } as unknown as AccountState
  const round = { policy: { batch: 50 }, hotAddress: HOT } as unknown as EvmRound
  const { members, fail } = await estimated(round, state, [choice(0), choice(1), choice(2)])
  expect(members.map(({ account }) => account.holder.derivationIndex)).toEqual([1, 2])
  expect(fail).toThrow(ChainUnavailable)
  expect((await estimated(round, state, [choice(1)])).fail).not.toThrow()
})

describe('worth', () => {
  const limits = { minDeposit: '0', minWithdrawal: '0' }
  const catalogue = createCatalogue({
    crypto: [
      { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, ...limits } } },
      {
        ticker: 'USDT',
        name: 'Tether',
        networks: {
          ETHEREUM: { contract: TOKEN, decimals: 6, ...limits },
          BINANCE_SMART_CHAIN: { contract: TOKEN, decimals: 18, ...limits },
        },
      },
    ],
    fiat: [],
  })
  const usd = new Map([
    ['ETH', 2_000n * E18],
    ['USDT', E18],
  ])

  test('in the coin of the network, and nothing without a price', () => {
    expect(worthInCoin(catalogue, 'ETHEREUM', 'USDT', 100n * E18, usd)).toBe(E18 / 20n)
    expect(worthInCoin(catalogue, 'ETHEREUM', 'ETH', 5n, new Map())).toBe(5n)
    expect(worthInCoin(catalogue, 'ETHEREUM', 'USDT', 1n, new Map([['USDT', E18]]))).toBeUndefined()
    expect(worthInCoin(catalogue, 'ETHEREUM', 'USDC', 1n, usd)).toBeUndefined()
  })

  test('an amount above the floor is worth at least the stated worth', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: E18 }), (wei) => {
        const floor = unitsWorth(catalogue, 'ETHEREUM', 'USDT', wei, usd)!
        expect(worthInCoin(catalogue, 'ETHEREUM', 'USDT', floor, usd)).toBeLessThanOrEqual(wei)
        expect(worthInCoin(catalogue, 'ETHEREUM', 'USDT', floor + 2_000n, usd)).toBeGreaterThanOrEqual(wei)
      }),
    )
  })
})

describe('the policy file', () => {
  test('changes the named values', () => {
    expect(sweepPolicyOf({})).toEqual(DEFAULT_SWEEP_POLICY)
    expect(sweepPolicyOf({ batch: 10, maxGasPrice: '30000000000', kPerMille: '5000' })).toMatchObject({
      batch: 10,
      maxGasPrice: 30n * GWEI,
      kPerMille: 5_000n,
    })
  })

  test.each([
    [{ batch: 0 }, 'batch'],
    [{ batch: 201 }, 'batch'],
    [{ bach: 1 }, 'bach'],
    [{ enabled: 'no' }, 'enabled'],
    [{ setCode: 'on' }, 'setCode'],
    [{ maxTopUp: '-1' }, 'maxTopUp'],
    [{ maxAgeMs: '1' }, 'maxAgeMs'],
  ])('names invalid values: %j', (given, place) => {
    expect(() => readShape(SWEEP_SHAPE, given)).toThrow(place)
  })
})
