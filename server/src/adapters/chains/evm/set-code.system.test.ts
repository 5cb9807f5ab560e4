/** Whether a chain knows delegation (EIP-7702) is notified by the node before anything depends on it. */
import { sweepContracts, sweepOne } from '@bursar/chainkit/evm'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { faucetAccount } from '../../../../../sandbox/anvil/transactions.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { adapterOf } from '../../../../../test/world/evm-node.ts'

const ANY_ADDRESS = '0x00000000000000000000000000000000000b0b0b'
const { delegate } = sweepContracts('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
const call = { address: ANY_ADDRESS, delegate: delegate.address, code: delegate.code, data: sweepOne.encode([]) }

describe.each(EVM_NODES)('%s', (_name, use) => {
  const nodes = { prague: use({ hardfork: 'prague' }), cancun: use({ hardfork: 'cancun' }) }
  const adapterOn = async (rules: keyof typeof nodes) => {
    const adapter = adapterOf((await nodes[rules]()).url, {
      network: 'ETHEREUM',
      chainId: 31_337,
      legacyGas: false,
      finality: 'finalized',
    })
    onTestFinished(() => adapter.close())
    return adapter
  }

  test('a chain that does answers as the delegate, one that does not fails', async () => {
    expect(await (await adapterOn('prague')).callDelegated(call)).toBe(`0x${'0'.repeat(64)}`)
    expect(await (await adapterOn('cancun')).callDelegated(call)).toBeNull()
  })

  test('audit D-E14: an authorisation takes the gas of the rules, if they know authorisations', async () => {
    const estimate = async (rules: keyof typeof nodes): Promise<bigint | undefined> =>
      (await (await adapterOn(rules)).stateFrom(0)).authorizationGas(faucetAccount)
    // 25,000, less what the floor of EIP-7623 adds to the estimate without it. Hardhat's node estimates one more.
    expect([24_994n, 24_995n]).toContain(await estimate('prague'))
    expect(await estimate('cancun')).toBeUndefined()
  })

  test('an authorisation uses a nonce of its account in its block, and no transaction of the block shows that', async () => {
    const adapter = await adapterOn('prague')
    const { rpc } = await nodes.prague()
    const [authority, sender] = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key))
    await rpc('anvil_setBalance', sender!.address, `0x${(10n ** 18n).toString(16)}`)
    const before = await adapter.head()
    const authorization = await authority!.signAuthorization({ chainId: 31_337, address: delegate.address, nonce: 0 })
    const raw = await sender!.signTransaction({
      type: 'eip7702',
      chainId: 31_337,
      nonce: 0,
      gas: 100_000n,
      to: sender!.address,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 9n,
      authorizationList: [authorization],
    })
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await rpc('anvil_mine', '0x1')
    const after = (await adapter.blockAt(before.height + 1))!
    expect(await adapter.minedNonceIn(before, authority!.address)).toBe(0)
    expect(await adapter.minedNonceIn(after, authority!.address)).toBe(1)
    expect(after.transactions.flatMap(({ keys }) => keys)).toEqual([`${sender!.address}:0`])
    await expect(
      adapter.minedNonceIn({ ...after, hash: before.hash.replace('0x', '0x0').slice(0, 66) }, authority!.address),
    ).rejects.toThrow('eth_getTransactionCount')
  })

  test('code that is supposed is nowhere afterwards', async () => {
    const adapter = await adapterOn('prague')
    await adapter.callDelegated(call)
    expect(await adapter.codeAt(ANY_ADDRESS)).toBe('0x')
  })
})
