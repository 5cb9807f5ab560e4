/** Controls the TRON chain for the sandbox. */
import { randomBytes } from 'node:crypto'
import { isRefused } from '@bursar/chainkit'
import { addressOfEvmForm, parseAddress } from '@bursar/chainkit/tron'
import { Refusal } from '../http/refusal.ts'
import { formatAmount, parseAmount } from './amount.ts'
import type { SandboxChain, SandboxTransaction } from './chain.ts'
import { openTronApi } from './tron-api.ts'
import type { TronApi, TronBlock, TronStatus } from './tron-api.ts'
import { openTronFaucet, tronTokenBalance } from './tron-faucet.ts'
import { reorganizeTron } from './tron-reorg.ts'
import { takingTurns } from './turns.ts'

interface TronAsset {
  readonly ticker: string
  readonly decimals: number
  /** The token's contract; absent for TRX. */
  readonly token?: string
}

export interface OpenedTron {
  readonly chain: SandboxChain
  readonly assets: readonly TronAsset[]
  /** Id of block 0, by which a node of this very chain is known. */
  readonly genesis: string
}

const sunDecimals = 6

export async function openTron(url: string): Promise<OpenedTron> {
  const api = openTronApi(url)
  const { faucet, tokens } = await api.control<TronStatus>('status')
  const { blockID: genesis } = await api.ask<TronBlock>('wallet/getblockbynum', { num: 0 })
  const assets: readonly TronAsset[] = [{ ticker: 'TRX', decimals: sunDecimals }, ...tokens]
  return { chain: handsOn(api, assets, faucet), assets, genesis }
}

function handsOn(api: TronApi, assets: readonly TronAsset[], account: TronStatus['faucet']): SandboxChain {
  const inTurn = takingTurns()
  const quiet = { height: -1 }
  const faucet = openTronFaucet(api, account)
  const assetOf = (ticker: string): TronAsset => {
    const asset = assets.find((candidate) => candidate.ticker === ticker)
    if (asset === undefined)
      throw new Refusal(`ticker: on TRON send one of ${assets.map((one) => one.ticker).join(', ')}`)
    return asset
  }
  return {
    blockchain: 'TRON',
    tickers: assets.map(({ ticker }) => ticker),
    pay: async ({ ticker, to, amount }) => {
      const { decimals, token } = assetOf(ticker)
      const units = parseAmount(amount, decimals)
      requireAddress(to, 'to')
      return inTurn(() => faucet.pay({ to, units, ...(token === undefined ? {} : { token }) }))
    },
    mine: (blocks) => inTurn(async () => (await api.control<TronStatus>('mine', { blocks })).height),
    reorg: ({ depth, without }) => inTurn(() => reorganizeTron(api, depth, without)),
    newAddress: async () => addressOfEvmForm(randomBytes(20).toString('hex')),
    balance: async ({ ticker, address }) => {
      const { decimals, token } = assetOf(ticker)
      requireAddress(address, 'address')
      const units = token === undefined ? await sunOf(api, address) : await tronTokenBalance(api, token, address)
      return formatAmount(units, decimals)
    },
    transaction: (hash) => findTransaction(api, hash),
    isBusy: () => isBusy(api, quiet),
  }
}

function requireAddress(address: string, field: string): void {
  const read = parseAddress(address)
  if (isRefused(read))
    throw new Refusal(`${field}: send an address of TRON, T and 33 characters with a right checksum (${read.message})`)
}

/** An address that has never received anything is not an account yet. */
async function sunOf(api: TronApi, address: string): Promise<bigint> {
  const { balance = 0 } = await api.ask<{ balance?: number }>('wallet/getaccount', { address })
  return BigInt(balance)
}

async function findTransaction(api: TronApi, given: string): Promise<SandboxTransaction | undefined> {
  if (!/^[0-9a-f]{64}$/i.test(given)) throw new Refusal('hash: send 64 hexadecimal digits')
  const hash = given.toLowerCase()
  const { pending } = await api.control<TronStatus>('status')
  if (pending.includes(hash)) return { hash, status: 'pending', confirmations: 0 }
  const info = await api.ask<{ id?: string; blockNumber?: number; result?: 'FAILED' }>(
    'wallet/gettransactioninfobyid',
    { value: hash },
  )
  if (info.id === undefined) return undefined
  const blockHeight = info.blockNumber ?? 0
  const { blockID: blockHash } = await api.ask<TronBlock>('wallet/getblockbynum', { num: blockHeight })
  const { height } = await api.control<TronStatus>('status')
  const status = info.result === 'FAILED' ? 'failed' : 'confirmed'
  return { hash, status, confirmations: height - blockHeight + 1, blockHeight, blockHash }
}

/**
 * Until the newest transaction is solid. `quiet` is the newest height known to have only solid transactions below it.
 */
async function isBusy(api: TronApi, quiet: { height: number }): Promise<boolean> {
  const { height, solidHeight, pending } = await api.control<TronStatus>('status')
  if (pending.length > 0) return true
  for (let num = height; num > Math.max(solidHeight, quiet.height); num--) {
    const { count } = await api.ask<{ count: number }>('wallet/gettransactioncountbyblocknum', { num })
    if (count > 0) return true
  }
  quiet.height = height
  return false
}
