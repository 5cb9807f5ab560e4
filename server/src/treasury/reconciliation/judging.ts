import type { Catalogue, CryptoAsset } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { raiseAlert, raiseAlertAnew, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { driftsOf, suspendedOf, type Drift } from '../../ledger/address-balances/index.ts'
import type { CustodyLine, Round } from './comparisons.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { lackingAtStolenSeed } from './first-seed.ts'
import { suspendSurplus } from './surplus.ts'

/** Most addresses named in an alert; `bursar reconcile` names all. */
const MOST_NAMED = 5

/** Whether the wallets together hold less than the ledger, or any one of them less than its record. */
export const isShort = ({ booked, onChain, short }: CustodyLine): boolean => short > 0n || onChain < booked
const isOver = ({ booked, onChain, surplus }: CustodyLine): boolean => surplus > 0n || onChain > booked

/**
 * Acts on a comparison: a shortage stops withdrawals of the asset and raises an alert, a surplus only raises an alert
 * (`contract.md` 19 #16). A shortage at addresses of a stolen seed stops nothing. Both alerts name the addresses and
 * their differences. The stop stays until an operator lifts it.
 */
const judgeLine = async (
  tx: Tx,
  line: CustodyLine,
  drifts: readonly Drift[],
  { scale }: Pick<CryptoAsset, 'scale'>,
  moment: Moment,
): Promise<void> => {
  const subject = `${line.network}/${line.ticker}`
  const show = (units: bigint): string => formatUnits(units, scale)
  const figures = `books ${show(line.booked)}, chain ${show(line.onChain)} at block ${line.height}`
  const [less, more] = [
    drifts.filter(({ difference }) => difference < 0n),
    drifts.filter(({ difference }) => difference > 0n),
  ]
  const gap = line.booked - line.onChain
  if (isShort(line)) {
    const short = gap > line.short ? gap : line.short
    // Another party could otherwise stop the withdrawals of an asset as often as it takes a unit of it (decision 210).
    const stops = (await lackingAtStolenSeed(tx, line.network, line.ticker)) < short
    const text = `${line.ticker} on ${line.network} is short by ${show(short)} (${figures}): ${named(less, scale)}; ${
      stops ? 'its withdrawals are stopped' : 'all of it at addresses of the stolen first seed, so nothing is stopped'
    }`
    await raiseAlertAnew(tx, { kind: 'custody-shortage', subject, text, detail: detailOf(line, less) }, moment)
    if (stops)
      await createStop(
        tx,
        { asset: line.ticker, merchantId: null, reason: `custody on ${line.network} is short` },
        moment,
      )
  } else await resolveAlert(tx, 'custody-shortage', subject, moment.at)
  if (isOver(line)) {
    const over = -gap > line.surplus ? -gap : line.surplus
    const text = `${line.ticker} on ${line.network} holds ${show(over)} more than the books say (${figures}): ${named(more, scale)}; it moves to suspense if it remains for an hour`
    await raiseAlertAnew(tx, { kind: 'custody-surplus', subject, text, detail: detailOf(line, more) }, moment)
  } else await resolveAlert(tx, 'custody-surplus', subject, moment.at)
}

const named = (drifts: readonly Drift[], scale: number): string => {
  if (drifts.length === 0) return 'every address holds its recorded balance, so the ledger and the records differ'
  const shown = drifts.slice(0, MOST_NAMED).map(({ address, booked, difference }) => {
    const sign = difference > 0n ? '+' : ''
    return `${address} holds ${formatUnits(booked + difference, scale)}, not ${formatUnits(booked, scale)} (${sign}${formatUnits(difference, scale)})`
  })
  return drifts.length > MOST_NAMED ? `${shown.join(', ')} and more` : shown.join(', ')
}

const detailOf = ({ booked, onChain }: CustodyLine, drifts: readonly Drift[]) => ({
  gap: (onChain - booked).toString(),
  addresses: Object.fromEntries(drifts.map(({ address, difference }) => [address, difference.toString()])),
})

/** Acts on a round: creates stops, raises alerts, and posts surpluses that have lasted long enough to suspense. */
export const judgeRound = async (runtime: Runtime, catalogue: Catalogue, { network, lines }: Round): Promise<void> => {
  for (const line of lines) {
    const asset = catalogue.findCrypto(line.ticker)!
    await inTransaction(runtime.db, async (tx) => {
      const drifts: Drift[] = await driftsOf(tx, network, line.ticker, MOST_NAMED * 4)
      await judgeLine(tx, line, drifts, asset, momentOf(runtime))
    })
  }
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await suspendSurplus(tx, network, new Date(runtime.clock.now()), moment)
    const suspended = await suspendedOf(tx, network)
    for (const { ticker } of lines) {
      const units = suspended.get(ticker)
      const subject = `${network}/${ticker}`
      if (units === undefined) {
        await resolveAlert(tx, 'custody-suspended', subject, moment.at)
        continue
      }
      const { scale } = catalogue.findCrypto(ticker)!
      const text = `${formatUnits(units, scale)} ${ticker} on ${network} is in suspense: our addresses hold it and nothing explains it`
      await raiseAlert(tx, { kind: 'custody-suspended', subject, text }, moment)
    }
  })
}
