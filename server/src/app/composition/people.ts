import { randomBytes } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { archivePages } from '../../dashboard/archive/index.ts'
import { balancePages } from '../../dashboard/balances/index.ts'
import { exchangePages } from '../../dashboard/exchange/index.ts'
import type { TradingDeps } from '../../exchange/exchanges/index.ts'
import { homePages } from '../../dashboard/home/index.ts'
import { livePages } from '../../dashboard/live/index.ts'
import { explorersOf, paymentPages } from '../../dashboard/payments/index.ts'
import { payerPages } from '../../dashboard/payers/index.ts'
import { payoutPages } from '../../dashboard/payouts/index.ts'
import { refundPages } from '../../dashboard/refunds/index.ts'
import { requestPages } from '../../dashboard/requests/index.ts'
import { settingsPages } from '../../dashboard/settings/index.ts'
import { webhookPages } from '../../dashboard/webhooks/index.ts'
import {
  createBuckets,
  createChallenges,
  createDevices,
  createPasswords,
  relyingPartyOf,
} from '../../people/access/index.ts'
import { dashboardRoutes } from '../../people/pages/index.ts'
import type { DocumentMaker } from '../../merchants/documents/index.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { listRoutes } from './lists.ts'
import { invoicingPages } from '../../dashboard/invoicing/index.ts'
import { cardsOf, type CardWorld } from './cards.ts'
import { makingSettings, type FiatWorld } from './fiat.ts'
import type { World } from './world.ts'

/**
 * Creates the pages of the dashboard.
 * @param dataKeys the newest first
 * @param chainIds of the EVM networks
 */
export const createDashboard = (
  world: FiatWorld & CardWorld & Pick<World, 'wallet'>,
  dataKeys: readonly Uint8Array[],
  chainIds: ReadonlyMap<Network, bigint>,
  trading: TradingDeps,
  documents: DocumentMaker,
): PageRoute[] => {
  const { runtime, publicUrl, catalogue, wallet } = world
  const { db } = runtime
  const devices = createDevices(dataKeys)
  const explorers = explorersOf(wallet.bitcoinChain, chainIds)
  const rules = { catalogue, bitcoinChain: wallet.bitcoinChain }
  const deps = {
    runtime,
    db,
    publicUrl,
    party: relyingPartyOf(publicUrl),
    ring: createSecretRing(dataKeys),
    random: randomBytes,
    challenges: createChallenges(dataKeys, randomBytes),
    passwords: createPasswords(randomBytes),
    bucketOf: createBuckets(dataKeys),
    devices,
  }
  return [
    ...dashboardRoutes(deps),
    ...homePages({ runtime, db, devices, publicUrl, catalogue }),
    ...livePages({ runtime, db, devices }),
    ...invoicingPages({ ...makingSettings(world), ...deps }),
    ...paymentPages({
      runtime,
      db,
      devices,
      publicUrl,
      catalogue,
      explorers,
    }),
    ...balancePages({ runtime, db, devices, catalogue, documents }),
    ...exchangePages({ ...deps, catalogue, trading }),
    ...payoutPages({ ...deps, rules, explorers, cards: cardsOf(world) }),
    ...refundPages({ ...deps, rules, table: world.acquirers.table }),
    ...payerPages(deps),
    ...webhookPages(deps),
    ...requestPages(deps),
    ...settingsPages(deps),
    ...archivePages({ ...deps, catalogue, lists: listRoutes({ runtime, catalogue, publicUrl }) }),
  ]
}
