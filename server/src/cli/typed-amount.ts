import { parseUnits } from '../money/index.ts'
import { UsageError } from './command.ts'
import { needed } from './merchant.ts'
import { required, type Opened } from './open.ts'

/** The asset of this installation with a typed ticker. @throws UsageError */
export const assetOf = ({ config }: Opened, ticker: string | undefined) => {
  const asset = required(config.assets, 'BURSAR_ASSETS_FILE').find(needed(ticker, 'TICKER'))
  if (!asset) throw new UsageError(`${ticker} is no asset of this installation`)
  return asset
}

/** An amount as typed, in the asset's ledger units: not zero, and below it with a minus before it. @throws UsageError */
export const signedUnitsOf = (amount: string | undefined, { scale }: { scale: number }): bigint => {
  const text = needed(amount, 'AMOUNT')
  const parsed = parseUnits(text.replace(/^-/, ''), scale)
  if (!parsed.ok || parsed.units === 0n) throw new UsageError('AMOUNT is a decimal such as 12.5 or -12.5')
  return text.startsWith('-') ? -parsed.units : parsed.units
}
