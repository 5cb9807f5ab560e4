import { isRefused, type Refused } from '@bursar/chainkit'
import {
  buildReplacement,
  estimateVsize,
  feeAt,
  outpointOf,
  parsePsbt,
  psbtFee,
  replaceConsolidation,
  type Ancestors,
  type Psbt,
} from '@bursar/chainkit/bitcoin'
import { capsOf, spendable, type Spendable } from './bitcoin-plan.ts'
import type { ChangeKey } from './change.ts'
import type { OwnCoin } from './coins.ts'
import type { AttemptFields } from './commands.ts'
import type { SendingPolicy } from './policy.ts'
import type { Attempt } from './transaction.ts'
import type { WalletKeys } from './wallet.ts'

/** A replacement, with the coins that it spends in addition to those of the previous attempt. */
export type BitcoinBump = Pick<AttemptFields, 'unsigned' | 'networkFee' | 'signingKeys'> & { added: OwnCoin[] }

/** An input and a change output, in virtual bytes, rounded up: the most that one more coin adds to a transaction. */
const ONE_MORE_VSIZE = 100
const MOST_ADDED = 20
const NODES_INCREMENT = 1000n
/**
 * Nodes with a lower increment relay to nodes that require the one of Core before version 30, so at least that is paid.
 */
const incrementOf = (asked: bigint): bigint => (asked > NODES_INCREMENT ? asked : NODES_INCREMENT)

/**
 * Plans the same payments from the same coins at a higher fee, paid out of the change; if the change is too small,
 * confirmed coins are added. All attempts spend all coins of the first, so that at most one is ever mined.
 */
export const planBitcoinBump = (request: {
  wallet: WalletKeys
  attempt: Attempt
  /** spendable coins that may be added */
  coins: readonly OwnCoin[]
  /** where the change of added coins goes when the original has no change */
  change: ChangeKey
  feeRateMilliSatPerVb: bigint
  /** satoshi: fees of the transactions that the replacement evicts, the attempt included */
  replacedFees?: bigint
  /** thousandths of a satoshi: the node's minimum increment for each virtual byte of a replacement */
  incrementMilliSatPerVb?: bigint
  policy: SendingPolicy
}): BitcoinBump | Refused<string> => {
  const {
    wallet,
    attempt,
    coins,
    change,
    feeRateMilliSatPerVb,
    replacedFees,
    incrementMilliSatPerVb = 0n,
    policy,
  } = request
  const increment = incrementOf(incrementMilliSatPerVb)
  const original = Buffer.from(attempt.unsigned, 'hex')
  const psbt = parsePsbt(original)
  if (isRefused(psbt)) return psbt
  // Only change carries the derivation of a key of ours.
  const at = psbt.outputs.findIndex((output) => output.origins.length > 0)
  const offered = offer(
    psbt,
    coins.map((own) => spendable(wallet, own)),
    feeRateMilliSatPerVb,
    increment,
    replacedFees,
  )
  const payout = buildReplacement({
    original,
    changeIndex: at < 0 ? undefined : at,
    change: { script: change.script, origin: change.origin },
    extraInputs: offered,
    feeRateMilliSatPerVb,
    incrementalRateMilliSatPerVb: increment,
    ...(replacedFees !== undefined && { replacedFees }),
    caps: capsOf(policy),
  })
  if (isRefused(payout)) return payout
  const replacement = parsePsbt(payout.psbt)
  if (isRefused(replacement)) return replacement
  const added = offered.slice(0, replacement.inputs.length - psbt.inputs.length).map(({ own }) => own)
  return {
    unsigned: Buffer.from(payout.psbt).toString('hex'),
    networkFee: payout.fee,
    signingKeys: [...attempt.keys, ...added.map(({ account, branch, index }) => ({ account, branch, index }))],
    added,
  }
}

/** Offers the smallest coin that is enough alone, then the largest, so that few and small coins are added. */
const offer = (
  psbt: Psbt,
  coins: readonly Spendable[],
  rate: bigint,
  increment: bigint,
  replacedFees = psbtFee(psbt),
): Spendable[] => {
  const vsize =
    ONE_MORE_VSIZE +
    estimateVsize(
      psbt.inputs.map(({ script }) => script),
      psbt.outputs.map(({ script }) => script),
    )
  const fee = feeAt(rate, vsize) + replacedFees + feeAt(increment, vsize)
  const largest = coins.toSorted((a, b) => (a.units > b.units ? -1 : 1))
  const alone = largest.findLast(({ units }) => units >= fee)
  return [...(alone ? [alone] : []), ...largest.filter((coin) => coin !== alone)].slice(0, MOST_ADDED)
}

/** Plans the same coins to the same address of ours at a higher fee, paid out of the amount received. */
export const planConsolidationBump = (request: {
  attempt: Attempt
  feeRateMilliSatPerVb: bigint
  ancestors?: Ancestors
  /** thousandths of a satoshi: the node's minimum increment for each virtual byte of a replacement */
  incrementMilliSatPerVb?: bigint
  policy: SendingPolicy
}): BitcoinBump | Refused<string> => {
  const { attempt, policy, incrementMilliSatPerVb = 0n, ...rest } = request
  const built = replaceConsolidation({
    ...rest,
    incrementalRateMilliSatPerVb: incrementOf(incrementMilliSatPerVb),
    original: Buffer.from(attempt.unsigned, 'hex'),
    caps: capsOf(policy),
  })
  if (isRefused(built)) return built
  return {
    unsigned: Buffer.from(built.psbt).toString('hex'),
    networkFee: built.fee,
    signingKeys: attempt.keys,
    added: [],
  }
}

/** Whether any output returns to us: only such outputs carry the derivation of a key of ours. */
export const hasOwnOutput = (unsigned: string): boolean => {
  const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
  return !isRefused(psbt) && psbt.outputs.some(({ origins }) => origins.length > 0)
}

/** Outpoints that an attempt spends and none of the others does. */
export const spentOnlyBy = (attempt: Attempt, others: readonly Attempt[]): string[] => {
  const elsewhere = new Set(others.flatMap(outpointsOf))
  return outpointsOf(attempt).filter((outpoint) => !elsewhere.has(outpoint))
}

/** Outpoints that an attempt spends. */
export const outpointsOf = ({ unsigned }: Pick<Attempt, 'unsigned'>): string[] => {
  const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
  if (isRefused(psbt)) throw new Error(`a stored attempt can't be read: ${psbt.message}`)
  return psbt.inputs.map(outpointOf)
}

/** Virtual bytes of an unsigned transaction of ours once it is signed, at most. */
export const vsizeOf = (unsigned: string): number => {
  const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
  if (isRefused(psbt)) throw new Error(`a stored attempt can't be read: ${psbt.message}`)
  return estimateVsize(
    psbt.inputs.map(({ script }) => script),
    psbt.outputs.map(({ script }) => script),
  )
}
