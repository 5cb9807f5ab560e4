import { parseUnits } from '../../platform/money/index.ts'
import { UsageError } from './command.ts'
import { required, type Opened } from '../installation/open.ts'

/** The asset of this installation with a typed ticker. @throws UsageError */
export const assetOf = ({ config }: Opened, ticker: string) => {
  const asset = required(config.assets, 'BURSAR_ASSETS_FILE').find(ticker)
  if (!asset) throw new UsageError(`${ticker} is no asset of this installation`)
  return asset
}

/**
 * An amount as typed, in the asset's ledger units: not zero, and below it with a minus before it. @throws UsageError
 */
export const signedUnitsOf = (text: string, { scale }: { scale: number }): bigint => {
  const parsed = parseUnits(text.replace(/^-/, ''), scale)
  if (!parsed.ok || parsed.units === 0n) throw new UsageError('AMOUNT is a decimal such as 12.5 or -12.5')
  return text.startsWith('-') ? -parsed.units : parsed.units
}
