/** Controls the Bitcoin node for the sandbox. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bitcoind } from '../bitcoind/index.ts'
import { Refusal } from '../http/refusal.ts'
import { RpcError } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import { formatAmount, parseAmount } from './amount.ts'
import { reorganizeBitcoin } from './bitcoin-reorg.ts'
import { openFaucet, openWallet, payFromFaucet, satoshiDecimals } from './bitcoin-wallet.ts'
import { settledDepth } from './chain.ts'
import type { SandboxChain, SandboxTransaction } from './chain.ts'
import { takingTurns } from './turns.ts'

/** RPC_INVALID_ADDRESS_OR_KEY: no such transaction. */
const notFound = -5

const mostScans = 100
const scanAgainMs = 100

/** If the chain is new, creates the wallets and mines the first blocks. */
export async function openBitcoin(node: Bitcoind): Promise<SandboxChain> {
  const inTurn = takingTurns()
  const quiet = { hash: '' }
  const faucet = await openFaucet(node)
  const outside = await openWallet(node, 'outside')
  const coinbaseAddress = await faucet<string>('getnewaddress')
  return {
    blockchain: 'BITCOIN',
    tickers: ['BTC'],
    pay: async ({ to, amount }) => {
      const satoshis = parseAmount(amount, satoshiDecimals)
      await requireAddress(node.rpc, to, 'to')
      return inTurn(() => payFromFaucet(faucet, to, satoshis))
    },
    mine: (blocks) =>
      inTurn(async () => {
        await node.rpc('generatetoaddress', blocks, coinbaseAddress)
        return Number(await node.rpc('getblockcount'))
      }),
    reorg: ({ depth, without }) => inTurn(() => reorganizeBitcoin(node, faucet, depth, without)),
    newAddress: () => outside<string>('getnewaddress'),
    balance: ({ address }) => inTurn(() => balanceOf(node.rpc, address)),
    transaction: (hash) => findTransaction(node.rpc, hash),
    isBusy: () => isBusy(node.rpc, quiet),
  }
}

async function requireAddress(rpc: Rpc, address: string, field: string): Promise<void> {
  const { isvalid } = await rpc<{ isvalid: boolean }>('validateaddress', address)
  if (!isvalid) throw new Refusal(`${field}: send a Bitcoin regtest address, which begins with bcrt1, m, n or 2`)
}

async function balanceOf(rpc: Rpc, address: string): Promise<string> {
  await requireAddress(rpc, address, 'address')
  const { total_amount: total } = await scan(rpc, address)
  return formatAmount(BigInt(total.replace('.', '')), satoshiDecimals)
}

/** The node scans one set of outputs at a time, and the worker scans too: waits its turn. */
async function scan(rpc: Rpc, address: string): Promise<{ total_amount: string }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rpc<{ total_amount: string }>('scantxoutset', 'start', [`addr(${address})`])
    } catch (error) {
      if (!(error instanceof RpcError && /already in progress/.test(error.message)) || tries === mostScans) throw error
      await sleep(scanAgainMs)
    }
  }
}

async function findTransaction(rpc: Rpc, hash: string): Promise<SandboxTransaction | undefined> {
  const found = await rpc<{ blockhash?: string }>('getrawtransaction', hash, 1).catch((error: unknown) => {
    if (error instanceof RpcError && error.code === notFound) return undefined
    if (error instanceof RpcError) throw new Refusal(`hash: send 64 hexadecimal digits (${error.message})`)
    throw error
  })
  if (found === undefined) return undefined
  // The index also finds transactions of blocks that are no longer in the chain; the header of the block shows this.
  const header = found.blockhash === undefined ? undefined : await rpc<Header>('getblockheader', found.blockhash)
  const confirmations = Number(header?.confirmations ?? 0)
  if (header !== undefined && confirmations > 0) {
    return { hash, status: 'confirmed', confirmations, blockHeight: Number(header.height), blockHash: header.hash }
  }
  const waits = await rpc('getmempoolentry', hash).then(
    () => true,
    () => false,
  )
  return waits ? { hash, status: 'pending', confirmations: 0 } : undefined
}

interface Header {
  readonly hash: string
  readonly height: string
  readonly confirmations: string
}

/** `quiet` is the newest block known to have only settled transactions below it. */
async function isBusy(rpc: Rpc, quiet: { hash: string }): Promise<boolean> {
  const { size } = await rpc<{ size: string }>('getmempoolinfo')
  if (Number(size) > 0) return true
  const tip = await rpc<string>('getbestblockhash')
  let next: string | undefined = tip
  for (let depth = 0; depth < settledDepth && next !== undefined && next !== quiet.hash; depth++) {
    const block: { nTx: string; previousblockhash?: string } = await rpc('getblock', next, 1)
    if (Number(block.nTx) > 1) return true
    next = block.previousblockhash
  }
  quiet.hash = tip
  return false
}
