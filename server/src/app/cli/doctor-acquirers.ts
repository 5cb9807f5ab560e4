import { randomUUID } from 'node:crypto'
import type { AcquirersConfig } from '../../adapters/acquirers/index.ts'
import type { AcquirerCapabilities, AmountLimits } from '../../adapters/acquirers/port.ts'
import { formatUnits } from '../../platform/money/index.ts'

/** Reports one line of a check, good or bad. */
export type Report = (good: boolean, text: string) => void

const SCALE = 2
const OTHER_KEY = "signs its answers with another key: set the account's keys to those of the acquirer's cabinet"

/** Reports each acquirer account: its limits, and whether the acquirer accepts our keys. */
export const reportAcquirers = async (config: AcquirersConfig | null, report: Report): Promise<void> => {
  if (config === null) return report(true, 'acquirers: BURSAR_ACQUIRERS_FILE is not set, no cards')
  for (const { name, kind, acquirer } of config.accounts) {
    const can = describeCapabilities(acquirer.capabilities)
    try {
      // A reference that was never used: an acquirer that answers "unknown" has understood and authenticated the query.
      const state = await acquirer.paymentState(randomUUID())
      const known = `reports the state ${state.kind} of a payment that was never ordered`
      const isOtherKey = state.kind === 'unknown' && state.otherKey === true
      const says = isOtherKey ? OTHER_KEY : state.kind === 'unknown' ? 'answers' : known
      report(says === 'answers', `acquirer ${name} (${kind}): ${says}; ${can}`)
    } catch (error) {
      report(false, `acquirer ${name} (${kind}): ${(error as Error).message}; ${can}`)
    }
  }
  for (const { direction, ticker, least, most, acquirers } of config.routing) {
    report(true, `routing of ${direction} ${spanOf(ticker, { least, most })}: ${acquirers.join(', ') || 'no acquirer'}`)
  }
}

const describeCapabilities = ({ payIn, payout, refund, refundsWholeOnly, statement }: AcquirerCapabilities): string => {
  const spans = (limits: AcquirerCapabilities['payIn']): string =>
    Object.entries(limits)
      .map(([ticker, span]) => spanOf(ticker, span))
      .join(', ') || 'nothing'
  const refunds = refund ? (refundsWholeOnly ? 'refunds of whole payments' : 'refunds') : 'no refunds'
  return `in ${spans(payIn)}; out ${spans(payout)}; ${refunds}; ${statement ? 'statement' : 'no statement'}`
}

const spanOf = (ticker: string, { least, most }: AmountLimits): string =>
  `${ticker} ${formatUnits(least, SCALE)} to ${formatUnits(most, SCALE)}`
