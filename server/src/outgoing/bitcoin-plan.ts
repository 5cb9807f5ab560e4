import { isRefused, type Refused } from '@bursar/chainkit'
import {
  buildPayout, buildReplacement, outpointOf, parsePsbt, selectCoins, type Output, type Payout, type SpendableCoin,
} from '@bursar/chainkit/bitcoin'
import type { OwnCoin } from './coins.ts'
import type { SendingPolicy } from './policy.ts'
import type { Attempt } from './transaction.ts'
import { bitcoinKey, type WalletKeys } from './wallet.ts'

export interface BitcoinPlan {
  payout: Payout
  coins: OwnCoin[]
  signingKeys: Attempt['keys']
  /** the chain port's keys of the transaction */
  keys: string[]
  senders: string[]
}

type Spendable = SpendableCoin & { own: OwnCoin }

const spendable = (wallet: WalletKeys, own: OwnCoin): Spendable => {
  const { script, origin } = bitcoinKey(wallet, own)
  return { txid: own.transaction, vout: own.vout, units: own.units, script, origin, own }
}

/** Chooses coins and builds the transaction that pays all outputs and sends the rest to `changeIndex` of the hot wallet. */
export const planBitcoinPayout = (request: {
  wallet: WalletKeys
  coins: readonly OwnCoin[]
  payments: readonly Output[]
  changeIndex: number
  feeRateMilliSatPerVb: bigint
  policy: SendingPolicy
}): BitcoinPlan | Refused<string> => {
  const { wallet, payments, feeRateMilliSatPerVb, policy } = request
  const change = bitcoinKey(wallet, { account: 'hot', branch: 1, index: request.changeIndex })
  const selection = selectCoins({
    coins: request.coins.map((own) => spendable(wallet, own)),
    outputs: payments,
    changeScript: change.script,
    feeRateMilliSatPerVb,
  })
  if (isRefused(selection)) return selection
  const payout = buildPayout({
    inputs: selection.coins,
    payments,
    change: { script: change.script, origin: change.origin },
    feeRateMilliSatPerVb,
    caps: { maxFee: policy.maxFee, maxFeePerMille: policy.maxFeePerMille },
    order: 'as-given',
  })
  if (isRefused(payout)) return payout
  const coins = selection.coins.map((coin) => coin.own)
  return {
    payout,
    coins,
    signingKeys: coins.map(({ account, branch, index }) => ({ account, branch, index })),
    keys: selection.coins.map(outpointOf),
    senders: [...new Set(coins.map((coin) => coin.address))],
  }
}

/** The same payments from the same coins at a higher fee, which the change pays. */
export const planBitcoinBump = (request: {
  attempt: Attempt
  feeRateMilliSatPerVb: bigint
  policy: SendingPolicy
}): Payout | Refused<string> => {
  const original = Buffer.from(request.attempt.unsigned, 'hex')
  const psbt = parsePsbt(original)
  if (isRefused(psbt)) return psbt
  // Only change carries the derivation of a key of ours.
  const at = psbt.outputs.findIndex((output) => output.origins.length > 0)
  return buildReplacement({
    original,
    changeIndex: at < 0 ? undefined : at,
    feeRateMilliSatPerVb: request.feeRateMilliSatPerVb,
    caps: { maxFee: request.policy.maxFee, maxFeePerMille: request.policy.maxFeePerMille },
  })
}
