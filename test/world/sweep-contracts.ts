/** A development chain with the contracts of sweeps, two tokens, a gas payer and any number of deposit addresses. */
import {
  checksumAddress,
  encodeBalanceOf,
  fromHex,
  relayTransfers,
  sweepContracts,
  sweepMany,
  toHex,
} from '../../chainkit/src/evm/index.ts'
import type { Hex, SweepContracts, SweepGroup, TokenDomain } from '../../chainkit/src/evm/index.ts'
import { signSetCode, signTransaction, signTransfers } from '../../chainkit/src/signing.ts'
import type { Anvil } from '../../sandbox/anvil/index.ts'
import { faucetAccount, sendAndMine, sendTransaction } from '../../sandbox/anvil/transactions.ts'
import type { Rpc } from '../../sandbox/rpc.ts'
import { deploy } from '../../sandbox/tokens/index.ts'
import { encodeFunctionData, maxUint256, parseSignature, signatureToCompactSignature, type Abi } from 'viem'
import relayArtifact from '../../chainkit/contracts/artifacts/SweepRelay.json' with { type: 'json' }
import { privateKeyToAccount } from 'viem/accounts'
import { readArtifact } from '../../sandbox/tokens/artifact.ts'

export interface Account {
  key: Uint8Array
  address: Hex
}

interface Leave {
  account: Account
  /** Absent: the pinned delegate */
  delegate?: Hex
  /** Absent: the current nonce of the account */
  nonce?: bigint
  /** Absent: this chain's */
  chainId?: bigint
}

export interface Receipt {
  transactionHash: Hex
  status: Hex
  gasUsed: Hex
  logs: { address: Hex; topics: Hex[]; data: Hex }[]
}

export interface SweepWorld {
  rpc: Rpc
  chainId: bigint
  contracts: SweepContracts
  treasury: Hex
  payer: Account
  usdt: Hex
  usdc: Hex
  /** wei, of every transaction */
  maxFeePerGas: bigint
  /** Mints to all in one block. */
  mintAll(token: Hex, accounts: readonly Account[], units: bigint): Promise<void>
  /** Pays coin to all in one block. */
  payAll(accounts: readonly Account[], wei: bigint): Promise<void>
  /** From an account, in a block of its own; with leaves it is a transaction of EIP-7702. */
  send(
    from: Account,
    call: { to: Hex; data?: Hex; value?: bigint; gas?: bigint },
    leaves?: readonly Leave[],
  ): Promise<Receipt>
  /** Our batch, paid by the gas payer. */
  sweep(groups: readonly SweepGroup[], leaves?: readonly Leave[]): Promise<Receipt>
  transferAll(accounts: readonly Account[], units: bigint, nonce: bigint): Promise<Receipt>
  /** By allowances (ERC-2612), which the platform never uses: the contract has a function for them. */
  permitAll(accounts: readonly Account[]): Promise<Receipt>
  /** By allowances given before, sent by anyone. */
  pullAll(from: Account, accounts: readonly Account[]): Promise<Receipt>
  coinOf(address: Hex): Promise<bigint>
  tokenOf(token: Hex, address: Hex): Promise<bigint>
  codeOf(address: Hex): Promise<string>
}

const FEES = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
const GAS = 20_000_000n
export const FAR = 2n ** 40n
const [TREASURY, PAYER] = [9_001, 9_002]

/** An account whose key is a small number: the same on every chain, as ours are. */
export const accountOf = (number: number): Account => {
  const key = fromHex(`0x${number.toString(16).padStart(64, '0')}`)
  return { key, address: privateKeyToAccount(toHex(key)).address }
}

export const accountsFrom = (first: number, count: number): Account[] =>
  Array.from({ length: count }, (_, index) => accountOf(first + index))

export const openSweepWorld = async ({ rpc }: Anvil): Promise<SweepWorld> => {
  const chainId = BigInt(await rpc<string>('eth_chainId'))
  const [{ address: treasury }, payer] = [accountOf(TREASURY), accountOf(PAYER)]
  const contracts = sweepContracts(treasury)
  for (const address of [treasury, payer.address]) {
    await sendAndMine(rpc, { from: faucetAccount, to: address, value: 10n ** 20n })
  }
  for (const { deployment } of Object.values(contracts)) await sendAndMine(rpc, { from: faucetAccount, ...deployment })
  const usdt = checksumAddress(await deploy(rpc, 'UsdtLike', ['Test Tether', 'USDT', 6]))
  const usdc = checksumAddress(await deploy(rpc, 'UsdcLike', ['Test USD Coin', 'USDC', 6]))
  const world = {
    rpc,
    chainId,
    contracts,
    treasury,
    payer,
    usdt,
    usdc,
    maxFeePerGas: FEES.maxFeePerGas,
    ...sending(rpc, chainId),
  }
  // A treasury holds something: its balance is never set for the first time by a sweep.
  for (const token of [usdt, usdc]) await world.mintAll(token, [accountOf(TREASURY)], 1n)
  return { ...world, ...sweeping(world) }
}

const mintData = (to: Hex, units: bigint): Hex =>
  encodeFunctionData({ abi: readArtifact('TestToken').abi, functionName: 'mint', args: [to, units] })

const sending = (
  rpc: Rpc,
  chainId: bigint,
): Pick<SweepWorld, 'send' | 'mintAll' | 'payAll' | 'coinOf' | 'tokenOf' | 'codeOf'> => {
  const nonceOf = async (address: Hex): Promise<bigint> =>
    BigInt(await rpc<string>('eth_getTransactionCount', address, 'latest'))
  const receiptsOf = async (hashes: readonly string[]): Promise<Receipt[]> => {
    await rpc('evm_mine')
    const receipts = await Promise.all(hashes.map((hash) => rpc<Receipt | null>('eth_getTransactionReceipt', hash)))
    return receipts.map((receipt) => {
      if (receipt === null) throw new Error('a transaction was not mined')
      return receipt
    })
  }
  const fromFaucet = async (calls: readonly { to: Hex; data?: Hex; value?: bigint }[]): Promise<void> => {
    const hashes: string[] = []
    for (const call of calls) hashes.push(await sendTransaction(rpc, { from: faucetAccount, ...call }))
    for (const { status } of await receiptsOf(hashes)) if (status !== '0x1') throw new Error('a payment failed')
  }
  return {
    mintAll: (token, accounts, units) =>
      fromFaucet(accounts.map(({ address }) => ({ to: token, data: mintData(address, units) }))),
    payAll: (accounts, wei) => fromFaucet(accounts.map(({ address }) => ({ to: address, value: wei }))),
    send: async (from, { to, data = '0x', value = 0n, gas = GAS }, leaves = []) => {
      const call = { chainId, nonce: await nonceOf(from.address), gas, ...FEES, to, value, data }
      const authorizations = await Promise.all(
        leaves.map(async ({ account, delegate, nonce, ...leave }) => ({
          chainId: leave.chainId ?? chainId,
          delegate: delegate ?? sweepContracts(accountOf(TREASURY).address).delegate.address,
          nonce: nonce ?? (await nonceOf(account.address)),
        })),
      )
      const { raw } =
        authorizations.length === 0
          ? signTransaction({ type: 'eip1559', ...call }, from.key)
          : signSetCode(
              { type: 'eip7702', ...call, authorizations },
              leaves.map(({ account }) => account.key),
              from.key,
            )
      return (await receiptsOf([await rpc<string>('eth_sendRawTransaction', toHex(raw))]))[0]!
    },
    coinOf: async (address) => BigInt(await rpc<string>('eth_getBalance', address, 'latest')),
    tokenOf: async (token, address) =>
      BigInt(await rpc<string>('eth_call', { to: token, data: encodeBalanceOf(address) }, 'latest')),
    codeOf: (address) => rpc<string>('eth_getCode', address, 'latest'),
  }
}

type Base = Omit<SweepWorld, 'sweep' | 'transferAll' | 'permitAll' | 'pullAll'>

const sweeping = ({
  chainId,
  contracts,
  treasury,
  payer,
  usdc,
  send,
}: Base): Pick<SweepWorld, 'sweep' | 'transferAll' | 'permitAll' | 'pullAll'> => {
  const domain: TokenDomain = { name: 'Test USD Coin', version: '2', chainId, contract: usdc }
  const keysOf = (accounts: readonly Account[]): Uint8Array[] => accounts.map(({ key }) => key)
  return {
    sweep: (groups, leaves = []) =>
      send(payer, { to: contracts.batch.address, data: sweepMany.encode([...groups]) }, leaves),
    transferAll: (accounts, units, nonce) => {
      const transfers = accounts.map(({ address }) => ({ from: address, units, nonce }))
      const signed = signTransfers({ token: usdc, validBefore: FAR, transfers }, domain, treasury, keysOf(accounts))
      return send(payer, { to: contracts.relay.address, data: relayTransfers.encode(signed) })
    },
    pullAll: (from, accounts) => {
      const owners = accounts.map(({ address }) => address)
      return send(from, { to: contracts.relay.address, data: relayCall('pull', [usdc, owners]) })
    },
    permitAll: async (accounts) => {
      const spender = contracts.relay.address
      const permits = await Promise.all(accounts.map((account) => permitOf(account, spender, domain)))
      return send(payer, { to: spender, data: relayCall('permitAndPull', [usdc, FAR, permits]) })
    },
  }
}

const relayCall = (functionName: string, args: unknown[]): Hex =>
  encodeFunctionData({ abi: relayArtifact.abi as Abi, functionName, args })

const PERMIT = ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(
  (field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! }),
)

/** The first allowance of an account for the relay, unlimited, in the relay's form (EIP-2098). */
const permitOf = async (
  { key, address: owner }: Account,
  spender: Hex,
  { name, version, chainId, contract }: TokenDomain,
): Promise<{ owner: Hex; r: Hex; vs: Hex }> => {
  const signature = await privateKeyToAccount(toHex(key)).signTypedData({
    domain: { name, version, chainId, verifyingContract: contract },
    types: { Permit: PERMIT },
    primaryType: 'Permit',
    message: { owner, spender, value: maxUint256, nonce: 0n, deadline: FAR },
  })
  const { r, yParityAndS } = signatureToCompactSignature(parseSignature(signature))
  return { owner, r, vs: yParityAndS }
}
