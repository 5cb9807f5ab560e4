import type { Catalogue, FiatAsset } from '../../market/assets/index.ts'
import { limitsOf, type RoutingTable } from '../../cards/acquiring/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'

/** Currencies that cards can pay here: configured, and supported by one of our acquirers. */
export const offered = (catalogue: Catalogue, table: Pick<RoutingTable, 'accounts'>): FiatAsset[] =>
  catalogue.fiat.filter(({ ticker }) => limitsOf(table, 'payIn', ticker).length > 0)

/** `UAH 25 to 29999` */
export const limitsText = ({ ticker, scale, payIn: { least, most } }: FiatAsset): string =>
  `${ticker} ${formatUnits(least, scale)} to ${formatUnits(most, scale)}`

export type AmountProblem = 'ticker' | 'grammar' | 'precision' | 'limits'

/** Parses an amount within the limits of its currency, in minor units; otherwise returns the error. */
export const readAmount = (
  { value, ticker }: { value: string; ticker: string },
  assets: readonly FiatAsset[],
):
  | { ok: true; asset: FiatAsset; units: bigint }
  | { ok: false; problem: AmountProblem; asset: FiatAsset | undefined } => {
  const asset = assets.find((one) => one.ticker === ticker)
  if (!asset) return { ok: false, problem: 'ticker', asset }
  const parsed = parseUnits(value, asset.scale)
  if (!parsed.ok) return { ok: false, problem: parsed.refusal, asset }
  const { least, most } = asset.payIn
  if (parsed.units < least || parsed.units > most) return { ok: false, problem: 'limits', asset }
  return { ok: true, asset, units: parsed.units }
}
