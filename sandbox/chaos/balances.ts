/** The balances of a merchant of a chaos run, computed from its initial money and the end of each of its objects. */
import type { EventRecord } from '@bursar/sdk'
import { formatUnits, unitsOf as unitsOfScale } from '../../server/src/platform/money/index.ts'
import { patiently } from './asking.ts'
import type { Chaos, ChaosMerchant } from './orders.ts'

/** No asset has more decimals. */
const SCALE = 18

/** A decimal text of the API as an integer, of one scale for all assets. */
export const unitsOf = (text: string): bigint => unitsOfScale(text, SCALE)

type Change = readonly [ticker: string, units: bigint]

/** @returns each balance that differs, and how many were compared */
export async function differencesOfBalances(
  chaos: Chaos,
  { name, client, granted }: ChaosMerchant,
  byObject: ReadonlyMap<string, readonly EventRecord[]>,
): Promise<{ problems: string[]; count: number }> {
  const expected = new Map(Object.entries(granted).map(([ticker, amount]) => [ticker, unitsOf(amount)]))
  for (const events of byObject.values())
    for (const [ticker, units] of changesOf(events.at(-1)!)) expected.set(ticker, (expected.get(ticker) ?? 0n) + units)
  const balances = await patiently(chaos, () => client.balances.list([...expected.keys()]))
  const problems = balances.flatMap(({ ticker, value }) => {
    const should = expected.get(ticker) ?? 0n
    if (unitsOf(value) === should) return []
    return [`balance of ${name}: ${value} ${ticker}, and should be ${formatUnits(should, SCALE)}`]
  })
  return { problems, count: balances.length }
}

/** The effect of an object on the balances, by its last notification (docs/contract.md, section 6). */
function changesOf({ kind, status, body }: EventRecord): Change[] {
  const fields = body as unknown as Record<string, string | undefined> & { exchanged?: boolean }
  const units = (field: string): bigint => unitsOf(fields[field] ?? '0')
  const ticker = fields['ticker'] ?? ''
  switch (kind) {
    case 'Replenish':
      return status === 'Done' || status === 'Verified' ? [[ticker, units('amount') - units('fee')]] : []
    case 'Invoice':
    case 'CryptoInvoice':
      return status.toUpperCase() === 'DONE' ? [[ticker, units('paidAmount') - units('fee')]] : []
    case 'Withdraw':
      return status === 'Failed' ? [] : [[ticker, -units('amount') - units('fee')]]
    case 'Exchange':
      if (status !== 'Done') return []
      return [
        [fields['spendTicker'] ?? '', -units('spendAmount')],
        [fields['targetTicker'] ?? '', units('targetAmount')],
      ]
    case 'CryptoExchangeWithdraw':
      if (fields.exchanged !== true) return []
      return [
        [fields['spendTicker'] ?? '', -units('spendAmount')],
        // When the withdrawal fails after the exchange, the bought amount stays on the balance.
        [ticker, status === 'Failed' ? units('amount') : 0n],
      ]
    default:
      throw new Error(`a ${kind} was notified, which the run does not ask for`)
  }
}
