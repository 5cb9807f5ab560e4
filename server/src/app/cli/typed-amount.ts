import { parseUnits } from '../../platform/money/index.ts'
import { UsageError } from './command.ts'
import { required, type Opened } from '../installation/open.ts'

/** Finds the asset of a typed ticker. @throws UsageError */
export const assetOf = ({ config }: Opened, ticker: string) => {
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  const asset = catalogue.find(ticker) ?? catalogue.find(ticker.toUpperCase())
  if (asset) return asset
  const tickers = [...catalogue.crypto, ...catalogue.fiat].map((one) => one.ticker)
  throw new UsageError(`${ticker} is no asset of this installation: there are ${tickers.join(', ')}`)
}

/** Reads a typed amount in the asset's ledger units: not zero; negative with a leading minus. @throws UsageError */
export const signedUnitsOf = (text: string, { scale }: { scale: number }): bigint => {
  const parsed = parseUnits(text.replace(/^-/, ''), scale)
  if (!parsed.ok || parsed.units === 0n) throw new UsageError('AMOUNT is a decimal such as 12.5 or -12.5')
  return text.startsWith('-') ? -parsed.units : parsed.units
}

/** Reads a typed whole number within inclusive bounds. @throws UsageError */
export const wholeNumberOf = (
  text: string,
  name: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): number => {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : -1
  if (number < least || number > most)
    throw new UsageError(
      `${name} is a whole number${most === Number.MAX_SAFE_INTEGER ? ` from ${least}` : ` from ${least} to ${most}`}`,
    )
  return number
}
