/** Controls an EVM node for the sandbox. */
import { randomBytes } from 'node:crypto'
import { encodeFunctionData, getAddress, isAddress } from 'viem'
import { faucetAccount, sendTransaction, toHex } from '../anvil/transactions.ts'
import { Refusal } from '../http/refusal.ts'
import type { Rpc } from '../rpc.ts'
import { readArtifact } from '../tokens/artifact.ts'
import { mint, read } from '../tokens/index.ts'
import { formatAmount, parseAmount } from './amount.ts'
import { settledDepth } from './chain.ts'
import type { SandboxChain, SandboxTransaction } from './chain.ts'
import { reorganizeEvm } from './evm-reorg.ts'
import { takingTurns } from './turns.ts'

export interface EvmAsset {
  readonly ticker: string
  readonly decimals: number
  /** The token's contract; absent for the chain's own coin. */
  readonly token?: string
}

export interface EvmChainOptions {
  readonly blockchain: string
  readonly rpc: Rpc
  readonly assets: readonly EvmAsset[]
}

/** A thousand million ether, or of a token: more than anyone pays in a sandbox. */
const plenty = 10n ** 9n

export function openEvm({ blockchain, rpc, assets }: EvmChainOptions): SandboxChain {
  const inTurn = takingTurns()
  const quiet = { height: -1 }
  const assetOf = (ticker: string): EvmAsset => {
    const asset = assets.find((candidate) => candidate.ticker === ticker)
    if (asset === undefined)
      throw new Refusal(`ticker: on ${blockchain} send one of ${assets.map((one) => one.ticker).join(', ')}`)
    return asset
  }
  return {
    blockchain,
    tickers: assets.map(({ ticker }) => ticker),
    pay: async ({ ticker, to, amount }) => {
      const asset = assetOf(ticker)
      const units = parseAmount(amount, asset.decimals)
      requireAddress(to, 'to')
      return inTurn(() =>
        asset.token === undefined ? payCoin(rpc, to, units) : payToken(rpc, asset.token, asset.decimals, to, units),
      )
    },
    mine: (blocks) =>
      inTurn(async () => {
        await rpc('anvil_mine', toHex(BigInt(blocks)))
        return Number(await rpc('eth_blockNumber'))
      }),
    reorg: ({ depth, without }) => inTurn(() => reorganizeEvm(rpc, depth, without)),
    newAddress: async () => getAddress(`0x${randomBytes(20).toString('hex')}`),
    balance: async ({ ticker, address }) => {
      const { token, decimals } = assetOf(ticker)
      requireAddress(address, 'address')
      const units = token === undefined ? await coinBalance(rpc, address) : await tokenBalance(rpc, token, address)
      return formatAmount(units, decimals)
    },
    transaction: (hash) => findTransaction(rpc, hash),
    isBusy: () => isBusy(rpc, quiet),
  }
}

async function payCoin(rpc: Rpc, to: string, value: bigint): Promise<string> {
  const wei = plenty * 10n ** 18n
  if ((await coinBalance(rpc, faucetAccount)) < value * 2n)
    await rpc('anvil_setBalance', faucetAccount, toHex(value * 2n + wei))
  return sendTransaction(rpc, { from: faucetAccount, to, value })
}

/**
 * More than any transfer needs. An estimate at the newest block is too low if a sweep empties the receiver before the
 * transfer is mined: a balance's first unit of a token costs more.
 */
const TRANSFER_GAS = 200_000n

/** A real transfer between holders, not a mint to the receiver: a watcher sees the same on a real chain. */
async function payToken(rpc: Rpc, token: string, decimals: number, to: string, units: bigint): Promise<string> {
  if ((await tokenBalance(rpc, token, faucetAccount, 'pending')) < units) {
    await mint(rpc, token, faucetAccount, units + plenty * 10n ** BigInt(decimals))
  }
  const data = encodeFunctionData({ abi: readArtifact('TestToken').abi, functionName: 'transfer', args: [to, units] })
  return sendTransaction(rpc, { from: faucetAccount, to: token, data, gas: TRANSFER_GAS })
}

async function coinBalance(rpc: Rpc, address: string): Promise<bigint> {
  return BigInt(await rpc<string>('eth_getBalance', address, 'latest'))
}

function tokenBalance(
  rpc: Rpc,
  token: string,
  address: string,
  block: 'latest' | 'pending' = 'latest',
): Promise<bigint> {
  return read<bigint>(rpc, 'TestToken', token, 'balanceOf', [address], block)
}

function requireAddress(address: string, field: string): void {
  if (!isAddress(address))
    throw new Refusal(`${field}: send 0x and 40 hexadecimal digits, all small or with a right checksum`)
}

async function findTransaction(rpc: Rpc, hash: string): Promise<SandboxTransaction | undefined> {
  if (!/^0x[0-9a-f]{64}$/i.test(hash)) throw new Refusal('hash: send 0x and 64 hexadecimal digits')
  const receipt = await rpc<{ status: string; blockNumber: string; blockHash: string } | null>(
    'eth_getTransactionReceipt',
    hash,
  )
  if (receipt === null) {
    const waiting = await rpc('eth_getTransactionByHash', hash)
    return waiting === null ? undefined : { hash, status: 'pending', confirmations: 0 }
  }
  const height = Number(receipt.blockNumber)
  return {
    hash,
    status: BigInt(receipt.status) === 1n ? 'confirmed' : 'failed',
    confirmations: Number(await rpc('eth_blockNumber')) - height + 1,
    blockHeight: height,
    blockHash: receipt.blockHash,
  }
}

/** `quiet` is the newest height known to have only settled transactions below it. */
async function isBusy(rpc: Rpc, quiet: { height: number }): Promise<boolean> {
  const { pending } = await rpc<{ pending: string }>('txpool_status')
  if (BigInt(pending) > 0n) return true
  const head = Number(await rpc('eth_blockNumber'))
  for (let height = head; height > Math.max(0, head - settledDepth, quiet.height); height--) {
    if (Number(await rpc('eth_getBlockTransactionCountByNumber', `0x${height.toString(16)}`)) > 0) return true
  }
  quiet.height = head
  return false
}
