/** Deposits on real nodes, where the chain's own rules make what a chain in memory only imitates. */
import { beforeEach, describe, expect, test } from 'vitest'
import { follow, readAll } from '../../../../test/world/watcher.ts'
import { findEdr } from '../../../../sandbox/edr/binding.ts'
import { describeWithBitcoind, EVM_NODES, useBitcoind, useEdr } from '../../../../test/setup/nodes.ts'
import { openBitcoinWorld } from '../../../../test/world/bitcoin-node.ts'
import { adapterOf, openEvmWorld, type EvmNode } from '../../../../test/world/evm-node.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { createBackingJob, createBalanceCheckJob } from '../../pay-in/deposits/index.ts'
import { catalogue, E18, useDeposits } from '../../../../test/world/deposits.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { takeIndexes } from '../addresses/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'

/** Development nodes give coin to the first accounts of the mnemonic that our test keys are of. */
const ACCOUNTS_WITH_COIN = 20
const ETHEREUM = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
const lease = { untilMs: Date.now() + 86_400_000, afterMs: 60_000 }
const world = useDeposits()
const runtime = createTestRuntime(world.db)

beforeEach(async () => {
  world.now = Date.now()
  await takeIndexes(world.db, 'EVM', 'deposit', 0, ACCOUNTS_WITH_COIN)
})

const followHere = (adapter: ChainAdapter) => follow(runtime, adapter, [world.deposits])
const notified = async () => (await world.notices()).map(({ status, body }) => `${status} ${body.amount}`).toSorted()

const newEvmAddress = () => world.address('ETHEREUM', lease)

/** One transaction pays two of ours, one is undone as a whole, one undoes its payments and succeeds, one destroys. */
const payInEveryWay = async (node: EvmNode) => {
  const chain = await openEvmWorld(node, ETHEREUM)
  const [one, two] = [await newEvmAddress(), await newEvmAddress()]
  return {
    chain,
    owners: [one, two],
    pay: async () => {
      const to = [one.address, two.address]
      await chain.call('Payer', chain.contracts.payer, 'pay', [to, [E18, 2n * E18]], 3n * E18)
      await chain.call('Payer', chain.contracts.payer, 'payThenRevert', [to, [E18, E18]], 2n * E18)
      await chain.call('Payer', chain.contracts.payer, 'payInRevertedCall', [to, [E18, E18]], 2n * E18)
      await chain.call('Payer', chain.contracts.payer, 'payByDestruction', [one.address], 4n * E18)
      await chain.mine(1)
    },
  }
}

/** The balance check finds what blocks would have shown, as one deposit of each address, once its block is final. */
const foundByBalance = async (
  { chain, owners, pay }: Awaited<ReturnType<typeof payInEveryWay>>,
  adapter: ChainAdapter,
): Promise<void> => {
  const follower = await followHere(adapter)
  await pay()
  await readAll(follower)
  expect(await notified()).toEqual([])
  const { deposits } = world
  const check = createBalanceCheckJob({ runtime, network: 'ETHEREUM', adapter, deposits, everyMs: 1 })
  for (let block = 0; block < 4; block += 1) {
    await check.run(new AbortController().signal)
    if (block < 2) expect(await notified(), 'not before its block is final').toEqual([])
    await chain.mine(1)
    await readAll(follower)
  }
  expect(await notified()).toEqual(['Done 2', 'Done 5', 'Pending 2', 'Pending 5'])
  expect(await world.balance(owners[0]!.merchantId, 'ETH')).toBe((5n * E18 * 99n) / 100n)
}

describe.each(EVM_NODES)('native coin sent by contracts on %s', (_name, use) => {
  const node = use()

  test('E1 is found in blocks where the node has traces, without the transfers that were undone', async () => {
    const { chain, owners, pay } = await payInEveryWay(await node())
    const follower = await followHere(chain.adapter)
    await pay()
    await readAll(follower)
    expect(await notified()).toEqual(['Pending 1', 'Pending 2', 'Pending 4'])
    await chain.mine(3)
    await readAll(follower)
    expect(await world.balance(owners[0]!.merchantId, 'ETH')).toBe(0n)
    await createBackingJob({
      runtime,
      catalogue,
      network: 'ETHEREUM',
      adapter: chain.adapter,
      deposits: world.deposits,
      everyMs: 1,
    }).run(new AbortController().signal)
    expect(await world.balance(owners[0]!.merchantId, 'ETH')).toBe((5n * E18 * 99n) / 100n)
    expect(await world.balance(owners[1]!.merchantId, 'ETH')).toBe((2n * E18 * 99n) / 100n)
    expect(await auditLedger(world.db)).toEqual([])
  })

  test('E1 is found by balance where traces are switched off, once its block is final', async () => {
    const paid = await payInEveryWay(await node())
    const adapter = adapterOf(paid.chain.node.url, { ...ETHEREUM, traces: 'off' })
    await foundByBalance(paid, adapter)
    await adapter.close()
  })
})

describe.skipIf(findEdr() === undefined)("native coin sent by contracts on Hardhat's node with its own answers", () => {
  const node = useEdr({ ownReads: true })

  test('E1 is found by balance, as it has no traces of a block, and is final by depth, as its head is final to it', async () => {
    const paid = await payInEveryWay(await node())
    const adapter = adapterOf(paid.chain.node.url, { ...ETHEREUM, leastFinalDepth: 3 })
    expect(await adapter.capabilities()).toMatchObject({ traces: false })
    await foundByBalance(paid, adapter)
    await adapter.close()
  })
})

describeWithBitcoind('on Bitcoin', () => {
  const bitcoind = useBitcoind()

  test('B11 two outputs of one transaction to one address are two deposits', async () => {
    const chain = await openBitcoinWorld(await bitcoind())
    const { address, merchantId } = await world.address('BITCOIN')
    const follower = await followHere(chain.adapter)
    await chain.payAll([
      { to: address, units: 150_000n },
      { to: address, units: 150_000n },
    ])
    await readAll(follower)
    expect(await notified()).toEqual(['Pending 0.0015', 'Pending 0.0015'])
    await chain.mine(2)
    await readAll(follower)
    expect(await notified()).toEqual(['Done 0.0015', 'Done 0.0015', 'Pending 0.0015', 'Pending 0.0015'])
    expect(await world.balance(merchantId, 'BTC')).toBe(2n * (150_000n - 1_500n - 1_000n))
  })

  test('B3 a replaced transaction is Failed once the one in its place is final', async () => {
    const chain = await openBitcoinWorld(await bitcoind())
    const { address } = await world.address('BITCOIN')
    const { first, dearer } = await chain.conflicting(address, 150_000n)
    const follower = await followHere(chain.adapter)
    await chain.adapter.broadcast(first.raw)
    await readAll(follower)
    await chain.adapter.broadcast(dearer.raw)
    await readAll(follower)
    expect(await notified()).toEqual(['Pending 0.0015', 'Pending 0.0015'])
    await chain.mine(1)
    await readAll(follower)
    expect(await notified()).toEqual(['Done 0.0015', 'Pending 0.0015', 'Pending 0.0015'])
    await chain.mine(6)
    await readAll(follower)
    const failed = (await world.notices()).filter(({ status }) => status === 'Failed')
    expect(failed.map(({ body }) => [body.hash, body.failReason])).toEqual([[first.hash, 'TRANSACTION_REPLACED']])
  })
})
