/**
 * The measured server, in a separate process: `node server.ts bare|app`, with DATABASE_URL in its environment. Sends
 * its port to its parent.
 */
import { createSecretKey } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { addressRoutes, createAddressIssuer } from '../../server/src/chain/addresses/index.ts'
import { TEST_KEYS } from '../../test/world/keys.ts'
import { balanceRoutes } from '../../server/src/ledger/balances/index.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { createDb, createPool } from '../../server/src/platform/db/index.ts'
import { createHttpServer } from '../../server/src/app/http/index.ts'
import {
  createClaimTokens,
  createInvoiceCreator,
  invoiceRoutes,
} from '../../server/src/pay-in/crypto-invoices/index.ts'
import { createDirectory, type MerchantDirectory } from '../../server/src/merchants/accounts/index.ts'
import { createClock } from '../../server/src/platform/runtime/clock.ts'
import { createIds } from '../../server/src/platform/runtime/ids.ts'
import { createLog } from '../../server/src/platform/process/log.ts'
import type { Route } from '../../server/src/platform/api/route.ts'
import { createSecretBox } from '../../server/src/platform/config/secrets.ts'
import { createBareServer } from './bare.ts'
import { ASSETS, DATA_KEY } from '../merchants.ts'

const notMeasured = (): Promise<void> => Promise.reject(new Error('no target is measured'))

const newId = createIds()

const db = createDb(createPool({ url: process.env.DATABASE_URL! }))
const directory = createDirectory(db, createSecretBox(DATA_KEY))

const createApp = async (directory: MerchantDirectory): Promise<AddressInfo> => {
  const runtime = { db, clock: createClock(), newId, log: createLog('info', 'api') }
  const issuer = createAddressIssuer({
    db,
    keys: TEST_KEYS,
    limitOf: async (id) => (await directory.find(id))?.settings.addressLimit ?? null,
  })
  // An operation without the database is an answer, the same as that of the bare server.
  const answer = { status: 200, body: { id: '0195b0f0-0000-7000-8000-000000000000' } }
  const idle: Route = { operation: 'createCryptoWithdrawal', handle: async () => answer }
  const catalogue = createCatalogue(ASSETS)
  const settings = {
    catalogue,
    networks: catalogue.networks,
    keys: TEST_KEYS,
    prices: async () => new Map<string, bigint>(),
    quoteMs: 900_000,
    minedWithinMs: 86_400_000,
    publicUrl: 'https://pay.example',
    claimTokens: createClaimTokens([DATA_KEY]),
    screening: null,
  }
  const app = createHttpServer({
    directory,
    clock: runtime.clock,
    window: { maxAge: 600, maxAhead: 5 },
    requestsPerMinute: 10_000_000,
    fingerprintKeys: [createSecretKey(DATA_KEY)],
    // Whether a request is a repetition is looked up in the database, which is left out here.
    findKnown: async () => undefined,
    onFirstUse: () => {},
    onKeyUse: () => {},
    log: runtime.log,
    ready: async () => {},
    routes: [
      idle,
      ...balanceRoutes({ runtime, catalogue }),
      ...addressRoutes({ runtime, issuer, networks: new Set(['ETHEREUM']), keepTarget: notMeasured }),
      ...invoiceRoutes({ runtime, directory, creator: createInvoiceCreator(db), settings, keepTarget: notMeasured }),
    ],
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server.address() as AddressInfo
}

const createBare = (directory: MerchantDirectory): Promise<AddressInfo> =>
  new Promise((resolve) => {
    const server = createBareServer(directory)
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo))
  })

const { port } = await (process.argv[2] === 'bare' ? createBare : createApp)(directory)
process.send!({ port })
process.on('disconnect', () => process.exit())
