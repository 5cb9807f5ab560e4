import { spawnSync } from 'node:child_process'
import { domainSeparator, encodeFunctionData, pad, parseAbi, parseSignature } from 'viem'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { useAnvil } from '../../test/setup/nodes.ts'
import { faucetAccount, sendAndMine } from '../anvil/transactions.ts'
import type { Rpc } from '../rpc.ts'
import { call, deploy, ensureTokens, mint, read } from './index.ts'
import type { TokenSpec } from './index.ts'

const anvil = useAnvil()

const alice = '0x00000000000000000000000000000000000000a1'
const bob = '0x00000000000000000000000000000000000000b2'
const specs: readonly TokenSpec[] = [
  { contract: 'UsdtLike', name: 'Test Tether', symbol: 'USDT', decimals: 6 },
  { contract: 'TestToken', name: 'Test USD Coin', symbol: 'USDC', decimals: 6 },
]

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const balanceOf = (rpc: Rpc, token: string, who: string) => read<bigint>(rpc, 'TestToken', token, 'balanceOf', [who])
const native = async (rpc: Rpc, who: string) => BigInt(await rpc<string>('eth_getBalance', who, 'latest'))

async function transfers(rpc: Rpc, hash: string): Promise<bigint[]> {
  const { logs } = await rpc<{ logs: { topics: string[]; data: string }[] }>('eth_getTransactionReceipt', hash)
  return logs.filter((log) => log.topics[0] === transferTopic).map((log) => BigInt(log.data))
}

describe('the tokens of the sandbox', () => {
  test('are deployed once, at addresses that never change', async () => {
    const { rpc } = await anvil()
    const first = await ensureTokens(rpc, specs)
    const height = await rpc('eth_blockNumber')
    expect(await ensureTokens(rpc, specs)).toEqual(first)
    expect(await rpc('eth_blockNumber')).toBe(height)
    expect(Object.fromEntries(first)).toEqual({
      USDT: '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35',
      USDC: '0xA15BB66138824a1c7167f5E85b957d04Dd34E468',
    })
    expect(Number(await read(rpc, 'UsdtLike', first.get('USDT') as string, 'decimals'))).toBe(6)
    expect(await read(rpc, 'TestToken', first.get('USDC') as string, 'symbol')).toBe('USDC')
  })

  test('are minted to whom we like', async () => {
    const { rpc } = await anvil()
    for (const token of (await ensureTokens(rpc, specs)).values()) {
      const before = await balanceOf(rpc, token, alice)
      await mint(rpc, token, alice, 1_500_000n)
      expect((await balanceOf(rpc, token, alice)) - before).toBe(1_500_000n)
    }
  })
})

describe('UsdtLike', () => {
  test('transfers return nothing, and the fee waits to be switched on', async () => {
    const { rpc } = await anvil()
    const token = await deploy(rpc, 'UsdtLike', ['Test Tether', 'USDT', 6])
    await mint(rpc, token, faucetAccount, 10_000_000n)
    expect(await transfers(rpc, await call(rpc, 'UsdtLike', token, 'transfer', [bob, 1_000_000n]))).toEqual([
      1_000_000n,
    ])
    const data = `0xa9059cbb${bob.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    expect(await rpc('eth_call', { from: faucetAccount, to: token, data }, 'latest')).toBe('0x')
    await call(rpc, 'UsdtLike', token, 'setParams', [10n, 1n])
    await call(rpc, 'UsdtLike', token, 'transfer', [bob, 1_000_000n])
    expect(await balanceOf(rpc, token, bob)).toBe(1_999_000n)
  })

  test('a blacklisted address can be paid and cannot pay', async () => {
    const { rpc } = await anvil()
    const token = await deploy(rpc, 'UsdtLike', ['Test Tether', 'USDT', 6])
    await mint(rpc, token, faucetAccount, 10n)
    await call(rpc, 'UsdtLike', token, 'addBlackList', [faucetAccount])
    await expect(call(rpc, 'UsdtLike', token, 'transfer', [bob, 1n])).rejects.toThrow('sender is blacklisted')
    await call(rpc, 'UsdtLike', token, 'removeBlackList', [faucetAccount])
    await call(rpc, 'UsdtLike', token, 'transfer', [bob, 1n])
    expect(await balanceOf(rpc, token, bob)).toBe(1n)
  })
})

describe('UsdcLike', () => {
  const owner = privateKeyToAccount(`0x${'5'.repeat(64)}`)
  const far = 2n ** 60n
  const transferTypes = {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const
  const domainOf = (token: Address) => ({
    name: 'Test USD Coin',
    version: '2',
    chainId: 31_337,
    verifyingContract: token,
  })
  const authorizationOf = async (token: Address, nonce: Hex, to: Address = bob) => {
    const message = { from: owner.address, to, value: 5n, validAfter: 0n, validBefore: far, nonce }
    const signed = {
      domain: domainOf(token),
      types: transferTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    } as const
    const { r, s, v } = parseSignature(await owner.signTypedData(signed))
    return [owner.address, to, 5n, 0n, far, nonce, Number(v), r, s]
  }
  const fund = async (rpc: Rpc): Promise<Address> => {
    const token = await deploy(rpc, 'UsdcLike', ['Test USD Coin', 'USDC', 6])
    await call(rpc, 'UsdcLike', token, 'mint', [owner.address, 100n])
    return token
  }
  const overloaded = (rpc: Rpc, token: Address, args: readonly unknown[]) => {
    const abi = parseAbi([
      'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    ])
    return sendAndMine(rpc, { from: faucetAccount, to: token, data: encodeFunctionData({ abi, args: args as never }) })
  }

  test('carries out a signed authorisation once, for its signer, and not for a blacklisted address', async () => {
    const { rpc } = await anvil()
    const token = await fund(rpc)
    expect(await read(rpc, 'UsdcLike', token, 'DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain: domainOf(token) }))
    const args = await authorizationOf(token, pad('0x1'))
    const elsewhere = args.with(1, alice)
    await expect(overloaded(rpc, token, elsewhere)).rejects.toThrow('FiatTokenV2: invalid signature')
    await overloaded(rpc, token, args)
    expect(await balanceOf(rpc, token, bob)).toBe(5n)
    await expect(overloaded(rpc, token, args)).rejects.toThrow('FiatTokenV2: authorization is used or canceled')
    await call(rpc, 'UsdcLike', token, 'blacklist', [owner.address])
    expect(await balanceOf(rpc, token, owner.address)).toBe(95n)
    await expect(overloaded(rpc, token, await authorizationOf(token, pad('0x2')))).rejects.toThrow(
      'account is blacklisted',
    )
  })

  test('asks an address with code for its signature, even where the code is only delegated to', async () => {
    const { rpc } = await anvil()
    const token = await fund(rpc)
    const args = await authorizationOf(token, pad('0x1'))
    await rpc('anvil_setCode', owner.address, `0xef0100${(await deploy(rpc, 'Payer')).slice(2)}`)
    await expect(overloaded(rpc, token, args)).rejects.toThrow('FiatTokenV2: invalid signature')
    await rpc('anvil_setCode', owner.address, '0x')
    await overloaded(rpc, token, args)
  })

  test('counts permits, and every allowance down', async () => {
    const { rpc } = await anvil()
    const token = await fund(rpc)
    const types = {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    } as const
    const message = { owner: owner.address, spender: faucetAccount, value: 9n, nonce: 0n, deadline: far } as const
    const signature = await owner.signTypedData({ domain: domainOf(token), types, primaryType: 'Permit', message })
    const abi = parseAbi(['function permit(address,address,uint256,uint256,bytes)'])
    const data = encodeFunctionData({ abi, args: [owner.address, faucetAccount, 9n, far, signature] })
    await sendAndMine(rpc, { from: faucetAccount, to: token, data })
    expect(await read(rpc, 'UsdcLike', token, 'nonces', [owner.address])).toBe(1n)
    await call(rpc, 'UsdcLike', token, 'transferFrom', [owner.address, bob, 4n])
    expect(await read(rpc, 'UsdcLike', token, 'allowance', [owner.address, faucetAccount])).toBe(5n)
    await expect(sendAndMine(rpc, { from: faucetAccount, to: token, data })).rejects.toThrow(
      'EIP2612: invalid signature',
    )
  })
})

test('FeeToken delivers less than was sent', async () => {
  const { rpc } = await anvil()
  const token = await deploy(rpc, 'FeeToken', ['Fee', 'FEE', 18])
  await mint(rpc, token, alice, 0n)
  await mint(rpc, token, faucetAccount, 1_000n)
  expect(await transfers(rpc, await call(rpc, 'FeeToken', token, 'transfer', [bob, 1_000n]))).toEqual([990n, 10n])
  expect(await balanceOf(rpc, token, bob)).toBe(990n)
})

describe('Payer', () => {
  const fresh = (n: number) => `0x${n.toString(16).padStart(40, '5')}`

  test('pays several addresses from one transaction and returns the rest', async () => {
    const { rpc } = await anvil()
    const payer = await deploy(rpc, 'Payer')
    await call(
      rpc,
      'Payer',
      payer,
      'pay',
      [
        [fresh(1), fresh(2)],
        [3n, 4n],
      ],
      { value: 10n },
    )
    expect([await native(rpc, fresh(1)), await native(rpc, fresh(2)), await native(rpc, payer)]).toEqual([3n, 4n, 0n])
  })

  test('a reverted payment moves nothing, whether the transaction fails or succeeds', async () => {
    const { rpc } = await anvil()
    const payer = await deploy(rpc, 'Payer')
    await expect(call(rpc, 'Payer', payer, 'payThenRevert', [[fresh(3)], [3n]], { value: 3n })).rejects.toThrow(
      'revert',
    )
    const hash = await call(rpc, 'Payer', payer, 'payInRevertedCall', [[fresh(3)], [3n]], { value: 3n })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(JSON.stringify(await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' }))).toContain(fresh(3))
    expect(await native(rpc, fresh(3))).toBe(0n)
  })

  test('pays within 2,300 gas, and by destruction', async () => {
    const { rpc } = await anvil()
    const payer = await deploy(rpc, 'Payer')
    await call(rpc, 'Payer', payer, 'payWithStipend', [fresh(4), 5n], { value: 5n })
    await call(rpc, 'Payer', payer, 'payByDestruction', [fresh(5)], { value: 6n })
    expect([await native(rpc, fresh(4)), await native(rpc, fresh(5))]).toEqual([5n, 6n])
  })
})

test('the committed artifacts equal a fresh compilation of the sources', () => {
  const script = new URL('./compile.ts', import.meta.url).pathname
  const run = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0, stderr: '' })
})
