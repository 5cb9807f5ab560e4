/** An anvil, or Hardhat's node, with tokens and contracts, behind the adapter. */
import { randomBytes } from 'node:crypto'
import { encodeFunctionData, type Address, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Anvil } from '../../sandbox/anvil/index.ts'
import { faucetAccount, sendTransaction } from '../../sandbox/anvil/transactions.ts'
import { openEvm } from '../../sandbox/chains/evm.ts'
import { readArtifact, type ContractName } from '../../sandbox/tokens/artifact.ts'
import { call as callInBlock, deploy, mint } from '../../sandbox/tokens/index.ts'
import type {
  CallWorld,
  ChainWorld,
  ContractWorld,
  ConflictingTransactions,
} from '../../server/src/adapters/chains/conformance.ts'
import type { AccountChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { checksumAddress } from '@bursar/chainkit/evm'
import { createEvmAdapter, type EvmAdapterSettings } from '../../server/src/adapters/chains/evm/index.ts'

/** The interface of a node for tests. */
export type EvmNode = Pick<Anvil, 'url' | 'rpc'>

export interface EvmWorld extends ChainWorld {
  node: EvmNode
  adapter: AccountChainAdapter & { close(): Promise<void> }
  contracts: ContractWorld & CallWorld & { payer: Address }
  conflicting(to: string, units: bigint): Promise<ConflictingTransactions>
  /** Calls a contract from the faucet's account; the transaction waits for a block. */
  call(contract: ContractName, to: string, name: string, args: readonly unknown[], value?: bigint): Promise<string>
}

type Kind = Pick<EvmAdapterSettings, 'network' | 'legacyGas' | 'finality'> & { chainId: number }

const GWEI = 10n ** 9n
const PLENTY = 10n ** 30n
/** Enough for every test contract; an estimate would refuse a call that is meant to fail. */
const GAS = '0x100000'
/** With one slot in an epoch. */
const ANVIL_FINAL_BELOW = 2
/** Older than anything a test asks about. */
const FIRST_BLOCKS = 12

export const adapterOf = (url: string, given: Partial<EvmAdapterSettings> & Kind): EvmWorld['adapter'] =>
  createEvmAdapter({
    url,
    tokens: [],
    traces: 'auto',
    gasPriceFloor: GWEI,
    gasPriceCap: 500n * GWEI,
    random: () => 0,
    ...given,
  })

export const openEvmWorld = async (node: EvmNode, kind: Kind): Promise<EvmWorld> => {
  const { rpc } = node
  const chain = openEvm({ blockchain: kind.network, rpc, assets: [] })
  await rpc('anvil_setBalance', faucetAccount, `0x${PLENTY.toString(16)}`)
  const [token, feeToken, lookAlike] = await deployTokens(node)
  const payer = await deploy(rpc, 'Payer')
  await rpc('anvil_mine', `0x${FIRST_BLOCKS.toString(16)}`)
  const adapter = adapterOf(node.url, { ...kind, tokens: [checksumAddress(token), feeToken] })

  const call: EvmWorld['call'] = (contract, to, functionName, args, value = 0n) => {
    const data = encodeFunctionData({ abi: readArtifact(contract).abi, functionName, args })
    return rpc('eth_sendTransaction', { from: faucetAccount, to, data, value: `0x${value.toString(16)}`, gas: GAS })
  }
  const payAll: ChainWorld['payAll'] = (payments) => {
    const units = payments.map((one) => one.units)
    return call(
      'Payer',
      payer,
      'pay',
      [payments.map(({ to }) => to), units],
      units.reduce((sum, one) => sum + one, 0n),
    )
  }
  const impossible = {
    from: faucetAccount,
    to: payer,
    value: 1n,
    data: encodeFunctionData({ abi: readArtifact('Payer').abi, functionName: 'payThenRevert', args: [[payer], [1n]] }),
  }
  const conflicting: EvmWorld['conflicting'] = (to, units) => makeConflicting(node, kind, to as Address, units)
  const contracts: EvmWorld['contracts'] = {
    adapter,
    impossible,
    calls: { adapter, impossible },
    token,
    feeToken,
    lookAlike,
    payer,
    decimals: 6,
    freezing: async (kind, address) => {
      const contract = await deploy(rpc, kind, ['A dollar', 'USD', 6])
      await callInBlock(rpc, kind, contract, kind === 'UsdtLike' ? 'addBlackList' : 'blacklist', [address])
      return contract
    },
    payToken: (contract, to, units) => call('TestToken', contract, 'transfer', [to, units]),
    payInside: payAll,
    payInRevertedCall: (to, units) => call('Payer', payer, 'payInRevertedCall', [[to], [units]], units),
    payThenRevert: (to, units) => call('Payer', payer, 'payThenRevert', [[to], [units]], units),
    payByDestruction: (to, units) => call('Payer', payer, 'payByDestruction', [to], units),
  }
  return {
    node,
    adapter,
    sumsInnerCalls: true as const,
    contracts,
    call,
    payAll,
    identity: String(kind.chainId),
    finalBelow: kind.finality === 'finalized' ? ANVIL_FINAL_BELOW : kind.finality - 1,
    newAddress: async () => checksumAddress(`0x${randomBytes(20).toString('hex')}`),
    pay: (to, value) => sendTransaction(rpc, { from: faucetAccount, to, value }),
    mine: async (blocks) => void (await chain.mine(blocks)),
    reorg: async (depth, without) => void (await chain.reorg({ depth, without })),
    conflicting,
    payment: async (to, units) => (await conflicting(to, units)).first,
  }
}

const deployTokens = async ({ rpc }: EvmNode): Promise<[Address, Address, Address]> => {
  const made: Address[] = []
  for (const contract of ['TestToken', 'FeeToken', 'TestToken'] as const) {
    const token = await deploy(rpc, contract, ['Tether USD', 'USDT', 6])
    await mint(rpc, token, faucetAccount, 10n ** 12n)
    made.push(token)
  }
  return made as [Address, Address, Address]
}

/** Of an account that is not the faucet's, so that a reorganisation puts them back into the pool. */
const makeConflicting = async (
  { rpc }: EvmNode,
  { legacyGas, chainId }: Kind,
  to: Address,
  value: bigint,
): Promise<ConflictingTransactions> => {
  const account = privateKeyToAccount(generatePrivateKey())
  await rpc('anvil_setBalance', account.address, `0x${PLENTY.toString(16)}`)
  const sign = async (price: bigint, units: bigint) => {
    const fields = { chainId, nonce: 0, gas: 21_000n, to, value: units }
    const raw: Hex = await (legacyGas
      ? account.signTransaction({ ...fields, type: 'legacy', gasPrice: price })
      : account.signTransaction({ ...fields, type: 'eip1559', maxFeePerGas: price, maxPriorityFeePerGas: price }))
    return { raw, hash: await rpc<string>('web3_sha3', raw) }
  }
  // The same price does not replace; the amount makes it another transaction.
  return {
    first: await sign(5n * GWEI, value),
    cheaper: await sign(5n * GWEI, value + 1n),
    dearer: await sign(9n * GWEI, value),
  }
}
