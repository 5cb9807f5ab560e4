import { joinAcquirers } from '../composition/fiat.ts'
import { requireKnownLegs } from '../composition/exchange-file.ts'
import type { World } from '../composition/index.ts'
import { readExchangePolicy, readLimitedPolicy } from '../../exchange/exchanges/index.ts'
import { createClaimTokens } from '../../pay-in/crypto-invoices/index.ts'
import { required, type Opened } from './open.ts'

/** What this installation's settings make of it. Throws an Error that names a setting which is missing. */
export const worldOf = ({ config, runtime, policies }: Opened): World => {
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  requireKnownLegs(config.exchange?.legs ?? {}, catalogue)
  return {
    runtime,
    catalogue,
    policies,
    exchange:
      config.exchange === null ? readExchangePolicy(catalogue) : readLimitedPolicy(catalogue, config.exchange.exchange),
    hedging: config.exchange?.hedging?.policy ?? null,
    wallet: required(config.xpubs, 'BURSAR_XPUBS_FILE'),
    publicUrl: config.publicUrl,
    acquirers: joinAcquirers(config.acquirers),
    cardKeys: config.cardKeys,
    quoteMs: config.quoteSeconds * 1_000,
    minedWithinMs: config.quoteMinedHours * 3_600_000,
    claimTokens: createClaimTokens(config.dataKeys),
    screening: config.screening,
  }
}
