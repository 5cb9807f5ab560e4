import {
  COIN,
  checksumAddress,
  decodeSweepLog,
  delegateOfCode,
  encodeTransfer,
  sweepMany,
  sweepOne,
} from '../src/evm/index.ts'
import type { Hex, SweepEvent } from '../src/evm/index.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, deploy } from '../../sandbox/tokens/index.ts'
import { useAnvil } from '../../test/setup/nodes.ts'
import { accountOf, accountsFrom, openSweepWorld } from '../../test/world/sweep-contracts.ts'
import type { Account, Receipt, SweepWorld } from '../../test/world/sweep-contracts.ts'

/** Root of a storage without anything in it. */
const EMPTY_STORAGE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const UNITS = 1_000_000n
/** The modes of BadToken. */
const [WORKS, RETURNS_FALSE, REVERTS, BURNS_GAS, ANSWERS_AT_LENGTH, CALLS_BACK] = [0, 1, 2, 3, 4, 5]

const ethereum = useAnvil()
const bsc = useAnvil({ chainId: 31_356, baseFee: 0n })
const attacker = accountOf(666)
let world: SweepWorld
let next = 100

beforeAll(async () => {
  world = await openSweepWorld(await ethereum())
  await world.payAll([attacker], 10n ** 19n)
})

const fresh = (count: number): Account[] => {
  next += count
  return accountsFrom(next - count, count)
}
const addressesOf = (accounts: readonly Account[]): Hex[] => accounts.map(({ address }) => address)
const leavesOf = (accounts: readonly Account[]) => accounts.map((account) => ({ account }))
const sweep = (assets: Hex[], accounts: readonly Account[], leaves = leavesOf([])): Promise<Receipt> =>
  world.sweep([{ assets, accounts: addressesOf(accounts) }], leaves)
const eventsOf = ({ logs }: Receipt): SweepEvent[] =>
  logs.flatMap((log) => decodeSweepLog(log, world.contracts, () => true) ?? [])
const badToken = async (mode: number): Promise<Hex> => {
  const token = checksumAddress(await deploy(world.rpc, 'BadToken', ['Bad', 'BAD', 6]))
  await call(world.rpc, 'BadToken', token, 'setMode', [mode])
  return token
}
/** The amount of each asset that the treasury has gained during an action. */
const gainOf = async (assets: readonly Hex[], act: () => Promise<unknown>): Promise<bigint[]> => {
  const held = () =>
    Promise.all(assets.map((one) => (one === COIN ? world.coinOf(world.treasury) : world.tokenOf(one, world.treasury))))
  const before = await held()
  await act()
  return (await held()).map((units, index) => units - before[index]!)
}
/** Addresses that have delegated, with nothing in them. */
const delegated = async (count: number): Promise<Account[]> => {
  const accounts = fresh(count)
  await sweep([], accounts, leavesOf(accounts))
  return accounts
}

test('the contracts stand where they were computed to be, with the code that is pinned', async () => {
  for (const { address, code } of Object.values(world.contracts)) expect(await world.codeOf(address)).toBe(code)
})

describe('a sweep', () => {
  test('delegates and empties many addresses in one transaction, and later ones need no more leave', async () => {
    const accounts = fresh(5)
    await world.mintAll(world.usdt, accounts, UNITS)
    expect(await gainOf([world.usdt], () => sweep([world.usdt], accounts, leavesOf(accounts)))).toEqual([5n * UNITS])
    for (const { address } of accounts) {
      expect(delegateOfCode(await world.codeOf(address))).toBe(world.contracts.delegate.address)
      expect(await world.coinOf(address)).toBe(0n)
    }
    await world.mintAll(world.usdt, accounts, 7n)
    expect(await gainOf([world.usdt], () => sweep([world.usdt], accounts))).toEqual([35n])
  })

  test('moves two tokens and coin at once, and tells how much coin', async () => {
    const accounts = fresh(2)
    for (const token of [world.usdt, world.usdc]) await world.mintAll(token, accounts, UNITS)
    await world.payAll(accounts, 9n)
    const assets = [world.usdt, world.usdc, COIN]
    const gained = gainOf(assets, async () => {
      const receipt = await sweep(assets, accounts, leavesOf(accounts))
      expect(eventsOf(receipt)).toEqual(
        accounts.map(({ address }) => ({ kind: 'coin-swept', account: address, units: 9n })),
      )
    })
    expect(await gained).toEqual([2n * UNITS, 2n * UNITS, 18n])
  })

  test('of nothing does nothing, and is no failure', async () => {
    const accounts = await delegated(2)
    const receipt = await sweep([world.usdt, world.usdc, COIN], accounts)
    expect([receipt.status, receipt.logs]).toEqual(['0x1', []])
  })

  test('of groups with their own assets moves each group’s', async () => {
    const [a, b, c] = fresh(3) as [Account, Account, Account]
    await world.mintAll(world.usdt, [a, b], UNITS)
    await world.mintAll(world.usdc, [b, c], UNITS)
    const groups = [
      { assets: [world.usdt], accounts: [a.address] },
      { assets: [world.usdt, world.usdc], accounts: [b.address] },
      { assets: [world.usdc], accounts: [c.address] },
    ]
    expect(await gainOf([world.usdt, world.usdc], () => world.sweep(groups, leavesOf([a, b, c])))).toEqual([
      2n * UNITS,
      2n * UNITS,
    ])
  })

  test('that stumbles over an address that has not delegated sweeps the others', async () => {
    const [bare, ...others] = fresh(3) as [Account, Account, Account]
    await world.mintAll(world.usdt, [bare, ...others], UNITS)
    const gained = gainOf([world.usdt], async () => {
      const receipt = await sweep([world.usdt], [bare, ...others], leavesOf(others))
      expect(eventsOf(receipt)).toEqual([{ kind: 'account-not-swept', account: bare.address }])
    })
    expect(await gained).toEqual([2n * UNITS])
  })

  test('that meets a blacklisted address sweeps the others (E10)', async () => {
    const [blocked, ...others] = fresh(3) as [Account, Account, Account]
    await world.mintAll(world.usdt, [blocked, ...others], UNITS)
    await call(world.rpc, 'UsdtLike', world.usdt, 'addBlackList', [blocked.address])
    const gained = gainOf([world.usdt], async () => {
      const receipt = await sweep([world.usdt], [blocked, ...others], leavesOf([blocked, ...others]))
      expect(eventsOf(receipt)).toEqual([{ kind: 'not-swept', account: blocked.address, asset: world.usdt }])
    })
    expect(await gained).toEqual([2n * UNITS])
  })

  test('is possible where the address sends it itself, with an authorisation one nonce ahead', async () => {
    const [own] = fresh(1) as [Account]
    await world.payAll([own], 10n ** 18n)
    await world.mintAll(world.usdt, [own], UNITS)
    const leave = [{ account: own, nonce: 1n }]
    const data = sweepOne.encode([world.usdt])
    expect(await gainOf([world.usdt], () => world.send(own, { to: own.address, data }, leave))).toEqual([UNITS])
  })
})

describe('a bad token among good ones stays, and keeps nothing else from leaving', () => {
  test.each([
    ['returns false', RETURNS_FALSE],
    ['reverts', REVERTS],
    ['burns all gas it is given', BURNS_GAS],
    ['answers at length', ANSWERS_AT_LENGTH],
  ])('one that %s', async (_name, mode) => {
    const bad = await badToken(mode)
    const accounts = fresh(3)
    for (const token of [bad, world.usdt, world.usdc]) await world.mintAll(token, accounts, UNITS)
    await world.payAll(accounts, 5n)
    const gained = gainOf([world.usdt, world.usdc, COIN, bad], async () => {
      const receipt = await sweep([world.usdt, bad, world.usdc, COIN], accounts, leavesOf(accounts))
      expect(receipt.status).toBe('0x1')
      expect(eventsOf(receipt).filter(({ kind }) => kind === 'not-swept')).toEqual(
        accounts.map(({ address }) => ({ kind: 'not-swept', account: address, asset: bad })),
      )
    })
    expect(await gained).toEqual([3n * UNITS, 3n * UNITS, 15n, 0n])
    await call(world.rpc, 'BadToken', bad, 'setMode', [WORKS])
    expect(await gainOf([bad], () => sweep([bad], accounts))).toEqual([3n * UNITS])
  })

  test('one that is no contract', async () => {
    const [account] = fresh(1) as [Account]
    await world.mintAll(world.usdt, [account], UNITS)
    const nothing = accountOf(12_345).address
    const receipt = await sweep([nothing, world.usdt], [account], leavesOf([account]))
    expect(eventsOf(receipt)).toEqual([{ kind: 'not-swept', account: account.address, asset: nothing }])
    expect(await world.tokenOf(world.usdt, account.address)).toBe(0n)
  })

  test('one that takes a fee arrives without it', async () => {
    const fee = checksumAddress(await deploy(world.rpc, 'FeeToken', ['Fee', 'FEE', 6]))
    const accounts = fresh(2)
    await world.mintAll(fee, accounts, 1_000n)
    expect(await gainOf([fee], () => sweep([fee], accounts, leavesOf(accounts)))).toEqual([1_980n])
  })

  test('one that calls back gains nothing', async () => {
    const bad = await badToken(CALLS_BACK)
    const [account] = fresh(1) as [Account]
    for (const token of [bad, world.usdt]) await world.mintAll(token, [account], UNITS)
    expect(await gainOf([bad, world.usdt], () => sweep([bad, world.usdt], [account], leavesOf([account])))).toEqual([
      UNITS,
      UNITS,
    ])
  })
})

describe('only the treasury receives, for every caller', () => {
  test('an attacker who calls a delegated address sweeps for us, and can do nothing else', async () => {
    const [account] = (await delegated(1)) as [Account]
    await world.mintAll(world.usdt, [account], UNITS)
    await world.payAll([account], 50n)
    const rich = await world.coinOf(attacker.address)
    const attempts: Hex[] = [
      encodeTransfer(attacker.address, UNITS),
      sweepMany.encode([{ assets: [COIN], accounts: [attacker.address] }]),
      '0x',
      '0x12345678',
      '0x8129fc1c',
      sweepOne.encode([attacker.address]),
    ]
    for (const data of attempts) await world.send(attacker, { to: account.address, data })
    expect([await world.tokenOf(world.usdt, account.address), await world.coinOf(account.address)]).toEqual([
      UNITS,
      50n,
    ])
    const gained = gainOf([world.usdt, COIN], () =>
      world.send(attacker, { to: account.address, data: sweepOne.encode([world.usdt, COIN]) }),
    )
    expect(await gained).toEqual([UNITS, 50n])
    expect(await world.tokenOf(world.usdt, attacker.address)).toBe(0n)
    expect(await world.coinOf(attacker.address)).toBeLessThan(rich)
  })

  test('a front-runner who takes the authorisation from our transaction delegates for us, and our sweep still works', async () => {
    const accounts = fresh(2)
    await world.mintAll(world.usdt, accounts, UNITS)
    await world.send(attacker, { to: attacker.address }, leavesOf([accounts[0]!]))
    expect(delegateOfCode(await world.codeOf(accounts[0]!.address))).toBe(world.contracts.delegate.address)
    // Ours still carries it, for nonce 0, which is used up.
    const leaves = accounts.map((account) => ({ account, nonce: 0n }))
    expect(
      await gainOf([world.usdt], () =>
        world.sweep([{ assets: [world.usdt], accounts: addressesOf(accounts) }], leaves),
      ),
    ).toEqual([2n * UNITS])
  })

  test('the delegate at its own address, and the batch, hold no money of anyone', async () => {
    const { delegate, batch } = world.contracts
    await world.mintAll(world.usdt, [{ ...attacker, address: delegate.address }], UNITS)
    expect(
      await gainOf([world.usdt], () =>
        world.send(attacker, { to: delegate.address, data: sweepOne.encode([world.usdt]) }),
      ),
    ).toEqual([UNITS])
    expect((await world.send(attacker, { to: batch.address, value: 1n })).status).toBe('0x0')
  })
})

describe('a delegated address', () => {
  test('has no storage, before and after', async () => {
    const [account] = (await delegated(1)) as [Account]
    await world.mintAll(world.usdt, [account], UNITS)
    await world.payAll([account], 5n)
    await sweep([world.usdt, COIN], [account])
    const { storageHash } = await world.rpc<{ storageHash: string }>('eth_getProof', account.address, [], 'latest')
    expect(storageHash).toBe(EMPTY_STORAGE)
  })

  test('takes coin from payers that forward only 2,300 gas, also with data, and from internal calls', async () => {
    const [account] = (await delegated(1)) as [Account]
    const payer = await deploy(world.rpc, 'Payer')
    await call(world.rpc, 'Payer', payer, 'payWithStipend', [account.address, 5n], { value: 5n })
    await call(world.rpc, 'Payer', payer, 'pay', [[account.address], [6n]], { value: 6n })
    await call(world.rpc, 'Payer', payer, 'payByDestruction', [account.address], { value: 7n })
    expect((await world.send(attacker, { to: account.address, value: 8n, data: '0x1234' })).status).toBe('0x1')
    expect(await world.coinOf(account.address)).toBe(26n)
    expect(await gainOf([COIN], () => sweep([COIN], [account]))).toEqual([26n])
  })

  test('cannot be paid with a limit of exactly 21,000 gas: running any code costs something', async () => {
    const [account] = (await delegated(1)) as [Account]
    expect((await world.send(attacker, { to: account.address, value: 5n, gas: 21_000n })).status).toBe('0x0')
    expect((await world.send(attacker, { to: account.address, value: 5n, gas: 21_100n })).status).toBe('0x1')
    expect(await world.coinOf(account.address)).toBe(5n)
  })

  test('still sends transactions of its own', async () => {
    const [account] = (await delegated(1)) as [Account]
    await world.payAll([account], 10n ** 18n)
    await world.mintAll(world.usdt, [account], UNITS)
    expect(
      await gainOf([world.usdt], () =>
        world.send(account, { to: world.usdt, data: encodeTransfer(world.treasury, UNITS) }),
      ),
    ).toEqual([UNITS])
  })
})

test('an authorisation of one chain is worth nothing on the other, with the same keys', async () => {
  const other = await openSweepWorld(await bsc())
  expect(other.contracts).toEqual(world.contracts)
  const accounts = fresh(2)
  await other.mintAll(other.usdt, accounts, UNITS)
  const group = [{ assets: [other.usdt], accounts: addressesOf(accounts) }]
  const foreign = accounts.map((account) => ({ account, chainId: world.chainId }))
  const receipt = await other.sweep(group, foreign)
  expect(receipt.status).toBe('0x1')
  for (const { address } of accounts) {
    expect(await other.codeOf(address)).toBe('0x')
    expect(await other.tokenOf(other.usdt, address)).toBe(UNITS)
  }
  await other.sweep(group, leavesOf(accounts))
  expect(await other.tokenOf(other.usdt, other.treasury)).toBe(1n + 2n * UNITS)
  expect(await world.codeOf(accounts[0]!.address)).toBe('0x')
})

describe('the relay', () => {
  test('carries out signed transfers; one that was used already, or is signed by another, stays alone', async () => {
    const accounts = fresh(3)
    await world.mintAll(world.usdc, accounts, UNITS)
    expect(await gainOf([world.usdc], () => world.transferAll(accounts.slice(0, 1), UNITS / 2n, 1n))).toEqual([
      UNITS / 2n,
    ])
    const gained = gainOf([world.usdc], async () => {
      expect(eventsOf(await world.transferAll(accounts, UNITS / 2n, 1n))).toEqual([
        { kind: 'not-swept', account: accounts[0]!.address, asset: world.usdc },
      ])
    })
    expect(await gained).toEqual([UNITS])
  })

  test('takes allowances by permit, also when another caller was faster, and pulls from then on', async () => {
    const accounts = fresh(2)
    await world.mintAll(world.usdc, accounts, UNITS)
    // The first permit is used up by the first call; the second call pulls by the allowance that stands.
    await world.permitAll(accounts.slice(0, 1))
    await world.mintAll(world.usdc, accounts.slice(0, 1), UNITS)
    expect(await gainOf([world.usdc], () => world.permitAll(accounts))).toEqual([2n * UNITS])
    await world.mintAll(world.usdc, accounts, 3n)
    expect(await gainOf([world.usdc], () => world.pullAll(attacker, accounts))).toEqual([6n])
  })

  test('moves nothing from an owner without an allowance', async () => {
    const accounts = fresh(1)
    await world.mintAll(world.usdc, accounts, UNITS)
    const receipt = await world.pullAll(world.payer, accounts)
    expect(eventsOf(receipt)).toEqual([{ kind: 'not-swept', account: accounts[0]!.address, asset: world.usdc }])
  })
})
