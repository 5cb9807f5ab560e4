import { isRefused, type Refused } from '@bursar/chainkit'
import {
  buildConsolidation,
  buildPayout,
  outpointOf,
  selectCoins,
  type Ancestors,
  type Output,
  type Payout,
  type SpendableCoin,
} from '@bursar/chainkit/bitcoin'
import type { ChangeKey } from './change.ts'
import type { OwnCoin } from './coins.ts'
import type { NewOutgoing } from './commands.ts'
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

export type Spendable = SpendableCoin & { own: OwnCoin }

/** A coin of ours with the data that a PSBT needs. */
export const spendable = (wallet: WalletKeys, own: OwnCoin): Spendable => {
  const { script, origin } = bitcoinKey(wallet, own)
  return { txid: own.transaction, vout: own.vout, units: own.units, script, origin, own }
}

export const capsOf = ({ maxFee, maxFeePerMille }: SendingPolicy): { maxFee: bigint; maxFeePerMille: bigint } => ({
  maxFee,
  maxFeePerMille,
})

/** The rate at which change will probably be spent: the present or the patient one, whichever is lower. */
const laterRate = (now: bigint, { patientRate }: SendingPolicy): bigint => (now < patientRate ? now : patientRate)

/**
 * Chooses coins and builds the transaction that pays all outputs and sends the remainder, if it is worth it, to
 * `change`.
 */
export const planBitcoinPayout = (request: {
  wallet: WalletKeys
  coins: readonly OwnCoin[]
  payments: readonly Output[]
  change: ChangeKey
  feeRateMilliSatPerVb: bigint
  policy: SendingPolicy
}): BitcoinPlan | Refused<string> => {
  const { wallet, payments, change, feeRateMilliSatPerVb, policy } = request
  const rates = { feeRateMilliSatPerVb, laterRateMilliSatPerVb: laterRate(feeRateMilliSatPerVb, policy) }
  const coins = request.coins.map((own) => spendable(wallet, own))
  const selection = selectCoins({ coins, outputs: payments, changeScript: change.script, ...rates })
  if (isRefused(selection)) return selection
  const payout = buildPayout({
    inputs: selection.coins,
    payments,
    change: { script: change.script, origin: change.origin },
    ...rates,
    caps: capsOf(policy),
    order: 'as-given',
  })
  return isRefused(payout) ? payout : { payout, ...spendingOf(selection.coins) }
}

/** The plan of a transaction that joins coins of ours. */
export type ConsolidationPlan = Pick<NewOutgoing, 'unsigned' | 'networkFee' | 'signingKeys' | 'keys' | 'senders'> & {
  hash: string
}

/** Plans to join coins of ours into one at `change`, and to pay the fee that their unconfirmed `ancestors` lack. */
export const planConsolidation = (request: {
  wallet: WalletKeys
  coins: readonly OwnCoin[]
  change: ChangeKey
  feeRateMilliSatPerVb: bigint
  ancestors?: Ancestors
  transactionVersion?: number
  policy: Pick<SendingPolicy, 'maxFee' | 'maxFeePerMille'>
}): ConsolidationPlan | Refused<string> => {
  const { wallet, change, policy, coins, ...rest } = request
  const inputs = coins.map((own) => spendable(wallet, own))
  const { maxFee, maxFeePerMille } = policy
  const destination = { script: change.script, origin: change.origin }
  const built = buildConsolidation({ ...rest, inputs, destination, caps: { maxFee, maxFeePerMille } })
  if (isRefused(built)) return built
  const { signingKeys, keys, senders } = spendingOf(inputs)
  return {
    unsigned: Buffer.from(built.psbt).toString('hex'),
    networkFee: built.fee,
    hash: built.txid,
    signingKeys,
    keys,
    senders,
  }
}

const spendingOf = (inputs: readonly Spendable[]): Omit<BitcoinPlan, 'payout'> => {
  const coins = inputs.map((coin) => coin.own)
  return {
    coins,
    signingKeys: coins.map(({ account, branch, index }) => ({ account, branch, index })),
    keys: inputs.map(outpointOf),
    senders: [...new Set(coins.map((coin) => coin.address))],
  }
}
