import { isRefused } from '@bursar/chainkit'
import { parseAddress, parsePsbt, unsignedTxid, withoutWitnesses } from '@bursar/chainkit/bitcoin'
import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import {
  planBitcoinPayout,
  spendableCoins,
  takeChange,
  type BitcoinPlan,
  type OwnCoin,
} from '../../chain/transactions/index.ts'
import type { ColdDeps, ColdPlan, Wanted } from './plan.ts'

const MOST_COINS = 500
/**
 * Most bytes of all previous transactions together, without witnesses, so that the file fits the smallest hardware
 * wallets (384 KiB) and can be shown as QR codes.
 */
const MOST_PREVIOUS_BYTES = 262_144

/**
 * Plans a PSBT that pays the cold address, with the previous transactions of its coins. Coins whose previous
 * transactions are too large stay for payouts.
 */
export const planBitcoin = async (
  { runtime, adapter, wallet, sending }: ColdDeps,
  { units, to }: Wanted,
): Promise<ColdPlan | string> => {
  const rate = await adapter.feeRate()
  const address = parseAddress(to, wallet.bitcoinChain)
  if (rate.kind !== 'vbyte' || isRefused(address))
    throw new Error('a Bitcoin node estimates fees for each virtual byte, and cold storage has an address')
  const change = await takeChange(runtime.db, wallet)
  const payments = [{ script: address.script, units }]
  const known = new Map<string, Uint8Array>()
  let coins: readonly OwnCoin[] = await spendableCoins(runtime.db, 'BITCOIN', MOST_COINS, wallet)
  for (let left = 0; ;) {
    const plan = planBitcoinPayout({
      wallet,
      coins,
      payments,
      change,
      feeRateMilliSatPerVb: rate.milliSatPerVb,
      policy: sending,
    })
    if (isRefused(plan))
      return left === 0
        ? plan.message
        : `${plan.message}, without those of ${left} transactions too large to be handed out with it`
    const previous = await readPrevious(adapter as CoinChainAdapter, plan.coins, known)
    const large = tooLarge(previous)
    if (large === undefined) return { ...planned(plan, rate), units, change, previous }
    coins = coins.filter(({ transaction }) => transaction !== large)
    left += 1
  }
}

/** Reads previous transactions. Throws when the node lacks one or returns another one. */
const readPrevious = async (
  adapter: CoinChainAdapter,
  coins: readonly OwnCoin[],
  known: Map<string, Uint8Array>,
): Promise<Map<string, Uint8Array>> => {
  const wanted = [...new Set(coins.map(({ transaction }) => transaction))]
  const read = await adapter.rawTransactions(wanted.filter((txid) => !known.has(txid)))
  for (const [txid, raw] of read) known.set(txid, withoutWitnesses(raw))
  return new Map(
    wanted.map((txid) => {
      const raw = known.get(txid)
      if (!raw) throw new Error(`the node does not have ${txid}, whose output is ours`)
      return [txid, raw]
    }),
  )
}

/** Returns the largest transaction when all together are too large. */
const tooLarge = (previous: ReadonlyMap<string, Uint8Array>): string | undefined => {
  const bySize = [...previous].toSorted(([, a], [, b]) => b.length - a.length)
  const total = bySize.reduce((sum, [, { length }]) => sum + length, 0)
  return total > MOST_PREVIOUS_BYTES ? bySize[0]![0] : undefined
}

const planned = (
  { payout, senders, keys, signingKeys, coins }: BitcoinPlan,
  feeRate: ColdPlan['transaction']['feeRate'],
): Omit<ColdPlan, 'units' | 'change' | 'previous'> => {
  const psbt = parsePsbt(payout.psbt)
  if (isRefused(psbt)) throw new Error(`the transaction that was just built does not parse: ${psbt.message}`)
  const unsigned = Buffer.from(payout.psbt).toString('hex')
  return {
    transaction: { senders, nonce: null, keys, unsigned, signingKeys, feeRate, networkFee: payout.fee },
    hash: unsignedTxid(psbt),
    coins,
  }
}
