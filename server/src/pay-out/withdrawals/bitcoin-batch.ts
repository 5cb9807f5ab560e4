import { isRefused } from '@bursar/chainkit'
import { type Output, parseAddress } from '@bursar/chainkit/bitcoin'
import {
  anyChange,
  type ChangeKey,
  type OwnCoin,
  planBitcoinPayout,
  type SendingPolicy,
} from '../../chain/transactions/index.ts'
import { rescale } from '../../platform/money/index.ts'
import type { PayoutDeps } from './payouts.ts'
import { nextWaiting } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * When a batch is sent, and how long younger withdrawals wait for an older one that the coins can't pay. Times in ms.
 */
export type BatchRules = Pick<SendingPolicy, 'mostPayments' | 'batchWaitMs' | 'saveUpAfterMs' | 'saveUpMs'>

export interface Batch<W> {
  /** to be paid by one transaction, oldest first */
  chosen: W[]
  /** the oldest withdrawal that the coins can't pay, if any */
  short: W | undefined
  /** it is full, or its oldest withdrawal has waited for `batchWaitMs` */
  leaves: boolean
}

/**
 * Chooses the withdrawals that one transaction pays, oldest first. Younger withdrawals pass one that the coins can't
 * pay. Once that one has waited for `saveUpAfterMs`, periods of `saveUpMs` alternate: in one, all coins are reserved
 * for it; in the next, younger withdrawals are paid. So neither side waits without end.
 * @param waiting oldest first
 * @param canPay whether the coins pay all of these, with fee and change
 */
export const chooseBatch = <W extends { createdAt: Date }>(
  waiting: readonly W[],
  canPay: (chosen: readonly W[]) => boolean,
  rules: BatchRules,
  now: number,
): Batch<W> => {
  const chosen: W[] = []
  let short: W | undefined
  for (const one of waiting) {
    if (chosen.length === rules.mostPayments) break
    if (canPay([...chosen, one])) chosen.push(one)
    else {
      short ??= one
      if (savesUp(now - short.createdAt.getTime(), rules)) break
    }
  }
  const [oldest] = chosen
  const leaves =
    oldest !== undefined &&
    (chosen.length === rules.mostPayments || now - oldest.createdAt.getTime() >= rules.batchWaitMs)
  return { chosen, short, leaves }
}

/** Whether all coins are reserved for an unpayable withdrawal of this age. */
const savesUp = (ageMs: number, { saveUpAfterMs, saveUpMs }: BatchRules): boolean =>
  saveUpMs > 0 && ageMs >= saveUpAfterMs && Math.floor((ageMs - saveUpAfterMs) / saveUpMs) % 2 === 0

type PaymentDeps = Pick<PayoutDeps, 'catalogue' | 'wallet'>
type PlanDeps = PaymentDeps & Pick<PayoutDeps, 'policy'>

/**
 * Returns the part of a batch that can be built; undefined if there is none. A cap on fees or on size may exclude part
 * of a payable batch: small payments raise the fee's share of the amount, and large ones need many coins. So the
 * largest or the smallest payments are left out until the rest fits.
 */
export const fit = (
  deps: PlanDeps,
  chosen: readonly Withdrawal[],
  coins: readonly OwnCoin[],
  feeRateMilliSatPerVb: bigint,
): Withdrawal[] | undefined => {
  const change = anyChange(deps.wallet)
  const builds = (some: readonly Withdrawal[]): boolean =>
    !isRefused(planFor(deps, some, coins, change, feeRateMilliSatPerVb))
  const descending = chosen.toSorted((a, b) => (a.units > b.units ? -1 : 1))
  for (let left = 0; left < chosen.length; left += 1) {
    const without = [descending.slice(left), descending.slice(0, chosen.length - left)]
    const found = without.find(builds)
    if (found) return chosen.filter((one) => found.includes(one))
  }
  return undefined
}

export const planFor = (
  deps: PlanDeps,
  paid: readonly Withdrawal[],
  coins: readonly OwnCoin[],
  change: ChangeKey,
  feeRateMilliSatPerVb: bigint,
): ReturnType<typeof planBitcoinPayout> => {
  const { wallet, policy } = deps
  return planBitcoinPayout({
    wallet,
    coins,
    payments: paid.map((one) => paymentOf(deps, one)),
    change,
    feeRateMilliSatPerVb,
    policy,
  })
}

/** The output that pays a withdrawal on the chain. */
export const paymentOf = (deps: PaymentDeps, withdrawal: Withdrawal): Output => ({
  script: scriptOf(deps, withdrawal),
  units: satoshiOf(deps, withdrawal),
})

export const satoshiOf = ({ catalogue }: PaymentDeps, { ticker, units }: Withdrawal): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return rescale(units, asset.scale, asset.networks.get('BITCOIN')!.decimals)
}

/** Returns the outputs that would pay the waiting withdrawals together in one transaction, oldest first. */
export const waitingPayments = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'wallet'>,
  at: Date,
  most: number,
): Promise<Output[]> =>
  (await nextWaiting(deps.runtime.db, 'BITCOIN', 'onChain', at, most)).map((one) => paymentOf(deps, one))

const scriptOf = ({ wallet }: PaymentDeps, { id, to }: Withdrawal): Uint8Array => {
  const parsed = parseAddress(to, wallet.bitcoinChain)
  if (isRefused(parsed)) throw new Error(`withdrawal ${id} has a destination that does not parse`)
  return parsed.script
}
