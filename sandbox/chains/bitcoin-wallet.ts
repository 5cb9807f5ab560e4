/** The faucet: a wallet of the node that spends its oldest coins first. */
import type { Bitcoind } from '../bitcoind/index.ts'
import { Refusal } from '../http/refusal.ts'
import { RpcError } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import { formatAmount, parseAmount } from './amount.ts'

export const satoshiDecimals = 8

/** sat/vB: well above the minimum, far below an ordinary fee. */
const feeRate = 5
const feeReserve = 100_000n
/** After these, 150 coinbases of 50 BTC are mature: regtest halves the subsidy every 150 blocks. */
const firstBlocks = 250

interface Coin {
  readonly txid: string
  readonly vout: string
  readonly amount: string
  readonly confirmations: string
}

/** Returns the faucet's wallet, created and funded if it is new. */
export async function openFaucet(node: Bitcoind): Promise<Rpc> {
  const faucet = await openWallet(node, 'faucet')
  if (Number(await node.rpc('getblockcount')) < firstBlocks) {
    await node.rpc('generatetoaddress', firstBlocks, await faucet('getnewaddress'))
  }
  return faucet
}

export async function openWallet(node: Bitcoind, name: string): Promise<Rpc> {
  const loaded = await node.rpc<string[]>('listwallets')
  if (!loaded.includes(name)) {
    const { wallets } = await node.rpc<{ wallets: { name: string }[] }>('listwalletdir')
    const known = wallets.some((wallet) => wallet.name === name)
    if (known) await node.rpc('loadwallet', name, true)
    else await node.rpc('createwallet', name, false, false, '', false, true, true)
  }
  return node.walletRpc(name)
}

/**
 * Pays with old coins first, so that payments depend on each other as little as possible: a reorganisation without one
 * of them then removes no other.
 */
export async function payFromFaucet(faucet: Rpc, to: string, satoshis: bigint): Promise<string> {
  const coins = await faucet<Coin[]>('listunspent', 1)
  coins.sort((a, b) => Number(b.confirmations) - Number(a.confirmations))
  const inputs: { txid: string; vout: number }[] = []
  let total = 0n
  const single = coins.find((coin) => satoshisOf(coin.amount) >= satoshis + feeReserve)
  for (const coin of single === undefined ? coins : [single]) {
    inputs.push({ txid: coin.txid, vout: Number(coin.vout) })
    total += satoshisOf(coin.amount)
    if (total >= satoshis + feeReserve) break
  }
  if (total < satoshis + feeReserve) {
    throw new Refusal(
      `amount: the faucet has ${formatAmount(total, satoshiDecimals)} BTC at hand; send less, or mine blocks`,
    )
  }
  const amount = formatAmount(satoshis, satoshiDecimals)
  const sent = await faucet<{ txid: string }>('send', [{ [to]: amount }], null, 'unset', feeRate, {
    inputs,
    add_inputs: false,
  })
  return sent.txid
}

/**
 * Returns a signed transaction, as hex and not sent, that spends the same coins back to the faucet; undefined when not
 * all of them are the faucet's.
 */
export async function spendOtherwise(node: Bitcoind, faucet: Rpc, txid: string): Promise<string | undefined> {
  const found = await faucet<{ fee?: string }>('gettransaction', txid).catch((error: unknown) => {
    if (error instanceof RpcError) return {}
    throw error
  })
  if (!('fee' in found)) return undefined
  const { vin } = await node.rpc<{ vin: Input[] }>('getrawtransaction', txid, 2)
  const inputs = vin.map(({ txid: from, vout }) => ({ txid: from, vout: Number(vout) }))
  const total = vin.reduce((sum, { prevout }) => sum + satoshisOf(prevout.value), 0n)
  const outputs = [{ [await faucet<string>('getnewaddress')]: formatAmount(total - feeReserve / 10n, satoshiDecimals) }]
  const unsigned = await node.rpc<string>('createrawtransaction', inputs, outputs)
  const spent = vin.map(({ txid: from, vout, prevout }) => ({
    txid: from,
    vout: Number(vout),
    scriptPubKey: prevout.scriptPubKey.hex,
    amount: prevout.value,
  }))
  const signed = await faucet<{ complete: boolean; hex: string }>('signrawtransactionwithwallet', unsigned, spent)
  return signed.complete ? signed.hex : undefined
}

interface Input {
  readonly txid: string
  readonly vout: string
  readonly prevout: { readonly value: string; readonly scriptPubKey: { readonly hex: string } }
}

function satoshisOf(bitcoins: string): bigint {
  return /^0(\.0*)?$/.test(bitcoins) ? 0n : parseAmount(bitcoins, satoshiDecimals)
}
