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

/** When a batch leaves, and how long the young ones stand back for an old one that the coins don't pay. Times in ms. */
export type BatchRules = Pick<SendingPolicy, 'mostPayments' | 'batchWaitMs' | 'saveUpAfterMs' | 'saveUpMs'>

export interface Batch<W> {
  /** to be paid with one transaction, oldest first */
  chosen: W[]
  /** the oldest that the coins do not pay, if any */
  short: W | undefined
  /** full, or its oldest has waited long enough for company */
  leaves: boolean
}

/**
 * Chooses what one transaction pays, oldest first. What the coins can't pay lets younger ones pass, so that it holds up
 * nobody; once it has waited for `saveUpAfterMs` all coins are kept for it for `saveUpMs`, then the younger ones go
 * again for as long, and so on: neither waits without end for the other.
 * @param waiting oldest first
 * @param canPay whether the coins pay these together, fee and change included
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

/** Whether all coins are kept at this age for a withdrawal that they do not pay. */
const savesUp = (ageMs: number, { saveUpAfterMs, saveUpMs }: BatchRules): boolean =>
  saveUpMs > 0 && ageMs >= saveUpAfterMs && Math.floor((ageMs - saveUpAfterMs) / saveUpMs) % 2 === 0

type PaymentDeps = Pick<PayoutDeps, 'catalogue' | 'wallet'>
type PlanDeps = PaymentDeps & Pick<PayoutDeps, 'policy'>

/**
 * What of a batch can be built. The coins pay it, but a cap on fees or on size may stand against it: small payments
 * weigh on the share of the fee, large ones take many coins, so either are left out until it fits. Undefined when
 * nothing does.
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

/** What a withdrawal pays on the chain. */
export const paymentOf = (deps: PaymentDeps, withdrawal: Withdrawal): Output => ({
  script: scriptOf(deps, withdrawal),
  units: satoshiOf(deps, withdrawal),
})

export const satoshiOf = ({ catalogue }: PaymentDeps, { ticker, units }: Withdrawal): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return rescale(units, asset.scale, asset.networks.get('BITCOIN')!.decimals)
}

/** What waits to be paid with coins, oldest first, as one transaction would pay it. */
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
