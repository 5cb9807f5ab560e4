import * as fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { encodeTransfer } from '@bursar/chainkit/evm'
import { cases } from '../../../../../test/setup/cases.ts'
import { serialize } from '../../../../../test/world/bitcoin-transaction.ts'
import { scriptTo } from '../../../../../test/world/bitcoin-node.ts'
import { transfersOf } from '../conformance/reading.ts'
import { createSimulatedChain, type SimulatedChain } from './index.ts'

const TOKEN = `0x${'11'.repeat(20)}`
const coins = (seed = 'a') => createSimulatedChain({ network: 'BITCOIN', seed })
const accounts = (seed = 'a') =>
  createSimulatedChain({ network: 'ETHEREUM', seed, chainId: 7n, tokens: [{ contract: TOKEN, decimals: 6 }] })
const GWEI = 10n ** 9n
const owner = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const sign = (nonce: number, given: object = {}) =>
  owner.signTransaction({
    type: 'legacy',
    chainId: 7,
    nonce,
    gas: 60_000n,
    gasPrice: GWEI,
    to: owner.address,
    value: 0n,
    ...given,
  })

/** Everything an adapter shows of a chain. */
const everything = async ({ adapter, chain }: SimulatedChain) => ({
  blocks: await Promise.all(chain.blocks.map(({ height }) => adapter.blockAt(height))),
  pool: await adapter.mempool(new Set()),
})

describe('a simulated chain', () => {
  test('is the same for the same seed and calls, and another for another seed', async () => {
    const play = async (seed: string) => {
      const simulated = coins(seed)
      const { chain } = simulated
      const hash = chain.pay([{ to: chain.newAddress(), units: 5n }])
      chain.pay([{ to: chain.newAddress(), units: 6n }])
      chain.mine(3)
      chain.reorganise(3, { lost: [hash] })
      chain.replace(chain.pay([{ to: chain.newAddress(), units: 7n }]))
      return everything(simulated)
    }
    expect(await play('a')).toEqual(await play('a'))
    expect((await play('b')).blocks.at(-1)!.hash).not.toBe((await play('a')).blocks.at(-1)!.hash)
  })

  test('after any history equals a chain without reorganisations', () => {
    const step = fc.record({
      what: fc.constantFrom('pay', 'mine', 'reorganise', 'drop', 'replace', 'hold'),
      at: fc.nat({ max: 20 }),
    })
    fc.assert(
      fc.property(fc.constantFrom('coins', 'accounts'), fc.array(step, { maxLength: 40 }), (kind, steps) => {
        const { chain } = kind === 'coins' ? coins() : accounts()
        const to = [chain.newAddress(), chain.newAddress()]
        const waiting = () => [...chain.pool.keys()]
        for (const { what, at } of steps) {
          const hash = waiting()[at]
          if (what === 'pay') chain.pay([{ to: to[at % 2]!, units: BigInt(at) }])
          if (what === 'mine') chain.mine(1 + (at % 3))
          if (what === 'drop' && hash !== undefined) chain.drop(hash)
          if (what === 'replace' && hash !== undefined) chain.replace(hash)
          if (what === 'hold' && hash !== undefined) chain.held.add(hash)
          if (what === 'reorganise' && chain.blocks.length > 1) {
            const depth = 1 + (at % (chain.blocks.length - 1))
            const mined = chain.blocks.slice(-depth).flatMap(({ transactions }) => transactions.map((one) => one.hash))
            const [lost, returned] = [
              mined.filter((_, i) => i % 3 === at % 3),
              mined.filter((_, i) => i % 3 === (at + 1) % 3),
            ]
            chain.reorganise(depth, { lost, returned })
          }
        }
        const mined = chain.blocks.flatMap(({ transactions }) => transactions)
        const keys = mined.flatMap((one) => one.keys)
        expect(new Set(keys).size).toBe(keys.length)
        expect(waiting().filter((hash) => mined.some((one) => one.hash === hash))).toEqual([])
        for (const address of to) {
          const received = mined.flatMap(({ transfers }) => transfers.filter((one) => one.to === address))
          expect(chain.state.balanceOf(address, null)).toBe(received.reduce((sum, { units }) => sum + units, 0n))
        }
        chain.blocks.forEach((block, height) => {
          expect(block).toMatchObject({ height, ...(height > 0 && { parent: chain.blocks[height - 1]!.hash }) })
        })
      }),
      { numRuns: cases(200) },
    )
  })

  test.for(['lost', 'returned'] as const)(
    'a transaction that spends a payment which is %s in a reorganisation shares its fate',
    async (fate) => {
      const { adapter, chain } = coins()
      const parent = chain.pay([{ to: chain.newAddress(), units: 50_000n }])
      chain.mine()
      const to = chain.newAddress()
      const output = { script: scriptTo(to), units: 40_000n }
      const raw = serialize({ txid: parent, vout: 0, units: 50_000n }, [output])
      expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
      const child = [...chain.pool.keys()]
      chain.reorganise(1, { [fate]: [parent] })
      expect([...chain.pool.keys()].toSorted()).toEqual(fate === 'lost' ? [] : [parent, ...child].toSorted())
      chain.mine()
      expect([chain.pool.size, chain.state.balanceOf(to, null)]).toEqual([0, fate === 'lost' ? 0n : 40_000n])
    },
  )

  test('miners skip held transactions', async () => {
    const { adapter, chain } = coins()
    const hash = chain.pay([{ to: chain.newAddress(), units: 5n }])
    chain.held.add(hash)
    chain.mine(3)
    expect(await adapter.statusOf(hash)).toEqual({ kind: 'mempool' })
    chain.held.delete(hash)
    chain.mine()
    expect(await adapter.statusOf(hash)).toMatchObject({ kind: 'mined', height: 4 })
  })
})

describe('accounts', () => {
  const funded = () => {
    const simulated = accounts()
    simulated.chain.pay([{ to: owner.address, units: 10n ** 18n }])
    simulated.chain.mine()
    return simulated
  }

  test('are mined by nonce, in any order of arrival', async () => {
    const { adapter, chain } = funded()
    for (const nonce of [2, 0, 1]) expect(await adapter.broadcast(await sign(nonce))).toEqual({ kind: 'accepted' })
    expect(await adapter.broadcast(await sign(4))).toEqual({ kind: 'accepted' })
    chain.mine()
    expect(chain.head.transactions.map(({ turn }) => turn!.nonce)).toEqual([0, 1, 2])
    expect(await adapter.minedNonce(owner.address)).toBe(3)
    expect(chain.pool.size).toBe(1)
  })

  test('pay fees, and a token transfer without enough tokens is mined without effect', async () => {
    const { adapter, chain } = funded()
    const to = chain.newAddress()
    chain.pay([{ to: owner.address, units: 10n, contract: TOKEN }])
    chain.mine()
    const pay = async (nonce: number, units: bigint) =>
      adapter.broadcast(await sign(nonce, { to: TOKEN, data: encodeTransfer(to, units) }))
    expect([await pay(0, 7n), await pay(1, 7n)]).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    chain.mine()
    const block = (await adapter.blockAt(chain.head.height))!
    expect(block.transactions.map(({ succeeded, fee }) => [succeeded, fee])).toEqual([
      [true, 60_000n * GWEI],
      [false, 60_000n * GWEI],
    ])
    expect(transfersOf(block, to).map(({ index, units }) => [index, units])).toEqual([['l:0', 7n]])
    const wanted = [
      { address: owner.address, contract: TOKEN },
      { address: owner.address, contract: null },
    ]
    expect(await adapter.balancesAt(chain.head.height, wanted)).toEqual([3n, 10n ** 18n - 120_000n * GWEI])
    expect(await adapter.balancesAt(chain.head.height - 1, wanted)).toEqual([10n, 10n ** 18n])
    expect(
      await adapter.estimateGas({ from: owner.address, to: TOKEN, value: 0n, data: encodeTransfer(to, 4n) }),
    ).toMatchObject({ ok: false })
  })

  test('without funds, for another chain, or too cheap are refused', async () => {
    const { adapter } = funded()
    const refusals = [
      [await sign(0, { value: 10n ** 18n }), 'insufficient-funds'],
      [await sign(0, { chainId: 8 }), 'invalid'],
      [await sign(0, { gasPrice: 1n }), 'fee-too-low'],
      ['0xff', 'invalid'],
    ] as const
    for (const [raw, reason] of refusals)
      expect(await adapter.broadcast(raw)).toMatchObject({ kind: 'refused', reason })
  })
})

describe('a simulated node', () => {
  test('falls silent, fails on demand before or after, lags, and lies', async () => {
    const { adapter, chain, faults } = coins()
    chain.mine(5)
    faults.silent = true
    await expect(adapter.head()).rejects.toMatchObject({ name: 'ChainUnavailable' })
    faults.silent = false
    faults.failNext('head', 'before')
    await expect(adapter.head()).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(await adapter.head()).toEqual({ height: 5, hash: chain.head.hash })
    faults.lag = 2
    expect((await adapter.head()).height).toBe(3)
    expect([await adapter.blockAt(4), await adapter.hashAt(3)]).toEqual([null, chain.blocks[3]!.hash])
    faults.lag = 0
    faults.lie = (method, answer) => (method === 'identity' ? 'another' : answer)
    expect(await adapter.identity()).toBe('another')
  })

  test('may take a transaction and lose the answer', async () => {
    const { adapter, chain, faults } = accounts()
    chain.pay([{ to: owner.address, units: 10n ** 18n }])
    chain.mine()
    const raw = await sign(0)
    faults.failNext('broadcast', 'after')
    await expect(adapter.broadcast(raw)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(chain.pool.size).toBe(1)
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
  })
})
