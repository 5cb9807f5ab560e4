/** People outside who pay on an EVM chain: a few accounts, so that one that waits does not hold up all others. */
import { createHash } from 'node:crypto'
import { encodeFunctionData, type Address, type Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { faucetAccount, sendTransaction } from '../../../../sandbox/anvil/transactions.ts'
import { RpcError, type Rpc } from '../../../../sandbox/rpc.ts'
import { readArtifact } from '../../../../sandbox/tokens/artifact.ts'
import { deploy } from '../../../../sandbox/tokens/index.ts'
import type { Payment, SimulatedChain, Way } from '../chain.ts'

export interface Asset {
  ticker: string
  decimals: number
  contract?: string
}

export interface Outsiders {
  ways(ticker: string): readonly Way[]
  readonly payers: NonNullable<SimulatedChain['payers']>
  pay(payment: Payment): Promise<string>
  replace(hash: string): Promise<string | null>
  /**
   * A transaction of the payer's own with the nonce of another one, which can then never be mined. Undefined: not a
   * payer's.
   */
  instead(transaction: Mined): Promise<Hex | undefined>
}

/** As nodes show a transaction. */
export interface Mined {
  hash: string
  from: string
  nonce: string
  gasPrice: string
}

const ACCOUNTS = 8
/** Wei, and units of tokens: more than a run pays. */
const COINS = 10n ** 25n
const TOKENS = 10n ** 30n
/** More than any payment takes; an estimate would need the state in which it is mined. */
const GAS = 400_000n
const GWEI = 10n ** 9n
/** Nodes replace a transaction whose prices are higher by an eighth (EIP-1559 nodes: a tenth); payers offer double. */
const DEARER = 2n

const keyOf = (number: number): Hex =>
  `0x${createHash('sha256').update(`bursar simulation outsider ${number}`).digest('hex')}`

const payer = readArtifact('Payer').abi
const token = readArtifact('TestToken').abi

/** Gives the accounts coins and tokens, and deploys the contract that pays, in blocks of their own. */
export const openOutsiders = async (rpc: Rpc, chainId: number, assets: readonly Asset[]): Promise<Outsiders> => {
  const accounts = Array.from({ length: ACCOUNTS }, (_, number) => privateKeyToAccount(keyOf(number)))
  const contract = await deploy(rpc, 'Payer')
  for (const { address } of accounts) await sendTransaction(rpc, { from: faucetAccount, to: address, value: COINS })
  for (const { contract: to } of assets)
    for (const { address } of to === undefined ? [] : accounts) {
      const data = encodeFunctionData({ abi: token, functionName: 'mint', args: [address, TOKENS] })
      await sendTransaction(rpc, { from: faucetAccount, to: to!, data })
    }
  const twin = await deploy(rpc, 'TestToken', ['Tether USD', 'USDT', 6])
  for (const { address } of accounts) {
    const data = encodeFunctionData({ abi: token, functionName: 'mint', args: [address, TOKENS] })
    await sendTransaction(rpc, { from: faucetAccount, to: twin, data })
  }
  await rpc('evm_mine')
  let next = 0
  const paidBy = new Map<string, string>()

  const price = async (): Promise<bigint> => {
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
    return BigInt(baseFeePerGas) * 2n + GWEI
  }
  const sign = (
    account: PrivateKeyAccount,
    given: { nonce: number; gasPrice: bigint; to: string; value: bigint; data?: Hex },
  ) => account.signTransaction({ ...given, to: given.to as Address, type: 'legacy', chainId, gas: GAS })
  const accountOf = (address: string): PrivateKeyAccount | undefined =>
    accounts.find((one) => one.address.toLowerCase() === address.toLowerCase())

  return {
    payers: { addresses: accounts.map(({ address }) => address), of: (hash) => paidBy.get(hash) },
    ways: (ticker) => (contractOf(assets, ticker) === undefined ? ['plain', 'inner', 'destruction'] : ['plain']),
    pay: async ({ ticker, to, units, how = 'plain' }) => {
      const account = accounts[(next += 1) % accounts.length]!
      const nonce = Number(await rpc<string>('eth_getTransactionCount', account.address, 'pending'))
      const paid = how === 'twin' ? twin : contractOf(assets, ticker)
      const call = callOf(paid, { payer: contract, to, units, how: how === 'twin' ? 'plain' : how })
      const raw = await sign(account, { nonce, gasPrice: await price(), ...call })
      const hash = await rpc<string>('eth_sendRawTransaction', raw)
      paidBy.set(hash, account.address)
      return hash
    },
    replace: async (hash) => {
      const old = await rpc<(Mined & { blockNumber: string | null }) | null>('eth_getTransactionByHash', hash)
      const account = old === null ? undefined : accountOf(old.from)
      if (old === null || account === undefined || old.blockNumber !== null) return null
      const gasPrice = BigInt(old.gasPrice) * DEARER
      const raw = await sign(account, { nonce: Number(old.nonce), gasPrice, to: account.address, value: 0n })
      return rpc<string>('eth_sendRawTransaction', raw).catch((error: unknown) => {
        if (error instanceof RpcError) return null
        throw error
      })
    },
    instead: async ({ from, nonce, gasPrice }) => {
      const account = accountOf(from)
      // The base fee of another branch may be higher, by an eighth for each block.
      const dearer = BigInt(gasPrice) * 2n * DEARER
      return account && sign(account, { nonce: Number(nonce), gasPrice: dearer, to: account.address, value: 0n })
    },
  }
}

const contractOf = (assets: readonly Asset[], ticker: string): string | undefined => {
  const asset = assets.find((one) => one.ticker === ticker)
  if (asset === undefined) throw new RangeError(`${ticker} is not on this chain`)
  return asset.contract
}

const callOf = (
  contract: string | undefined,
  { payer: through, to, units, how }: { payer: string; to: string; units: bigint; how: string },
): { to: string; value: bigint; data?: Hex } => {
  if (contract !== undefined && how === 'plain')
    return {
      to: contract,
      value: 0n,
      data: encodeFunctionData({ abi: token, functionName: 'transfer', args: [to, units] }),
    }
  if (contract !== undefined && how === 'failing')
    return {
      to: contract,
      value: 0n,
      // The contract that pays has no tokens, and allows nobody to take them.
      data: encodeFunctionData({ abi: token, functionName: 'transferFrom', args: [through, to, units] }),
    }
  if (contract === undefined && how === 'plain') return { to, value: units }
  if (contract === undefined && how === 'inner')
    return {
      to: through,
      value: units,
      data: encodeFunctionData({ abi: payer, functionName: 'pay', args: [[to], [units]] }),
    }
  if (contract === undefined && how === 'destruction')
    return {
      to: through,
      value: units,
      data: encodeFunctionData({ abi: payer, functionName: 'payByDestruction', args: [to] }),
    }
  throw new RangeError(`it cannot be paid by ${how}`)
}
