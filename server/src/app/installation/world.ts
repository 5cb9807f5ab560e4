import { joinAcquirers } from '../composition/fiat.ts'
import { requireKnownMarkets, type ExchangeFile } from '../composition/exchange-file.ts'
import type { World } from '../composition/index.ts'
import { readExchangePolicy, readLimitedPolicy, type ExchangePolicy } from '../../exchange/exchanges/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { requireNextKeys } from '../../chain/transactions/index.ts'
import { createClaimTokens } from '../../pay-in/crypto-invoices/index.ts'
import { ConfigError } from '../../platform/config/config.ts'
import { ShapeError } from '../../platform/config/shape.ts'
import { required, type Opened } from './open.ts'

/** Composes the dependencies of this installation from its settings. Throws an Error that names a missing setting. */
export const worldOf = ({ config, runtime, policies }: Opened): World => {
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  const wallet = required(config.xpubs, 'BURSAR_XPUBS_FILE')
  requireNextKeys(wallet, catalogue.networks)
  return {
    runtime,
    catalogue,
    policies,
    exchange: config.exchange === null ? readExchangePolicy(catalogue) : exchangeOf(config.exchange, catalogue),
    hedging: config.exchange?.hedging?.policy ?? null,
    wallet,
    publicUrl: config.publicUrl,
    acquirers: joinAcquirers(config.acquirers),
    cardKeys: config.cardKeys,
    quoteMs: config.quoteSeconds * 1_000,
    minedWithinMs: config.quoteMinedHours * 3_600_000,
    claimTokens: createClaimTokens(config.dataKeys),
    screening: config.screening,
  }
}

/** Throws a ConfigError that lists everything in the exchange file that does not fit the assets. */
const exchangeOf = ({ marketRules, exchange }: ExchangeFile, catalogue: Catalogue): ExchangePolicy => {
  const problems: string[] = []
  const noted = <Value>(read: () => Value): Value | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      problems.push(...error.problems.map((problem) => `BURSAR_EXCHANGE_FILE: ${problem}`))
      return undefined
    }
  }
  noted(() => requireKnownMarkets(marketRules, catalogue))
  const policy = noted(() => readLimitedPolicy(catalogue, exchange))
  if (policy === undefined || problems.length > 0) throw new ConfigError(problems)
  return policy
}
