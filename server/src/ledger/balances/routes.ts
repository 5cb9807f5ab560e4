import { generalErrors } from '@bursar/contract'
import { Batcher } from '../../platform/base/batcher.ts'
import type { Catalogue, CryptoAsset, FiatAsset } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { balancesOf } from '../postings/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import { type Route, refusal } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createPriceReader } from '../../market/rates/index.ts'

const USD_SCALE = 18
const CENTS = 2
const MOST_IN_BATCH = 256

export interface BalanceRoutesDeps {
  runtime: Runtime
  catalogue: Catalogue
  /** returns the held card money of a merchant by ticker, in ledger units; called where card currencies exist */
  heldOf?(merchantId: string): Promise<ReadonlyMap<string, bigint>>
}

const NOTHING: ReadonlyMap<string, bigint> = new Map()

/** Routes that return merchants' available balances. Requests that wait together share one query. */
export const balanceRoutes = ({ runtime, catalogue, heldOf }: BalanceRoutesDeps): Route[] => {
  const read = createBalanceReader(runtime.db)
  const prices = createPriceReader(
    runtime.db,
    [...catalogue.crypto, ...catalogue.fiat].map((a) => a.ticker),
    runtime.clock.now,
  )
  return [
    {
      operation: 'listBalances',
      handle: async ({ merchantId, query }) => {
        const assets = query.tickers!.split(',').map((ticker) => find(catalogue, ticker))
        const isFiat = assets.some(({ ticker }) => catalogue.findFiat(ticker) !== undefined)
        const [available, usd, held] = await Promise.all([
          read({ merchantId, assets: assets.map((a) => a.ticker) }),
          prices(),
          isFiat && heldOf ? heldOf(merchantId) : NOTHING,
        ])
        const records = assets.map((asset, i) => ({
          ...record(asset, available[i]!, usd.get(asset.ticker)),
          ...heldOn(asset, held),
        }))
        return { status: 200, body: records }
      },
    },
  ]
}

const find = (catalogue: Catalogue, ticker: string): CryptoAsset | FiatAsset => {
  const asset = catalogue.find(ticker)
  if (asset) return asset
  const known = [...catalogue.crypto, ...catalogue.fiat].map((a) => a.ticker).join(', ')
  throw refusal(
    generalErrors.invalidRequest,
    `unknown ticker ${JSON.stringify(ticker.slice(0, 32))} in tickers: there are ${known}`,
    'tickers',
  )
}

const heldOn = ({ ticker, scale }: CryptoAsset | FiatAsset, held: ReadonlyMap<string, bigint>): { held?: string } => {
  const units = held.get(ticker)
  return units === undefined ? {} : { held: formatUnits(units, scale) }
}

/** Rounds `converted` down to cents, so that it never exceeds the balance. */
const record = ({ ticker, scale }: CryptoAsset | FiatAsset, available: bigint, usd: bigint | undefined) => ({
  value: formatUnits(available, scale),
  ticker,
  ...(usd === undefined
    ? {}
    : { converted: formatUnits(mulDiv(available, usd, 10n ** BigInt(scale + USD_SCALE - CENTS), 'down'), CENTS) }),
})

interface Asked {
  merchantId: string
  assets: readonly string[]
}

const createBalanceReader = (db: Db): ((asked: Asked) => Promise<bigint[]>) => {
  const batcher = new Batcher<Asked, bigint[]>({
    most: MOST_IN_BATCH,
    lanes: 2,
    run: async (batch) => {
      const pairs = batch.flatMap(({ merchantId, assets }) => assets.map((asset) => ({ merchantId, asset })))
      const rows = await balancesOf(db, 'merchant', pairs)
      let at = 0
      return batch.map(({ assets }) => rows.slice(at, (at += assets.length)).map(({ posted, held }) => posted - held))
    },
  })
  return (asked) => batcher.submit(asked)
}
