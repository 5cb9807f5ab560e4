/**
 * An api process for tests, with its database in DATABASE_URL: the edge with its directory following changes, as a
 * role runs it. Only tests of this module use it.
 */
import { createSecretKey } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createDb, createPool, inTransaction, listen } from '../../platform/db/index.ts'
import { createDirectory, markKeyUsed } from '../../merchants/accounts/index.ts'
import { box } from '../../../../test/world/merchant.ts'
import { createHttpServer } from './index.ts'

const pool = { url: process.env['DATABASE_URL']!, applicationName: process.env['NAME']! }
const db = createDb(createPool(pool))
const directory = createDirectory(db, box)
listen(pool, ['merchant_changed'], {
  connected: () => directory.forgetAll(),
  notified: (_channel, merchantId) => directory.forget(merchantId),
})
const app = createHttpServer({
  directory,
  clock: { now: Date.now },
  window: { maxAge: 60, maxAhead: 5 },
  requestsPerMinute: 1_000_000,
  fingerprintKeys: [createSecretKey(new Uint8Array(32).fill(3))],
  refusalsPerMinute: 1_000_000,
  findKnown: async () => undefined,
  onKeyUse: () => {},
  onFirstUse: (merchant, key) => void inTransaction(db, (tx) => markKeyUsed(tx, merchant.id, key.id, new Date())),
  log: pino({ level: 'silent' }),
  ready: async () => {},
  routes: [{ operation: 'listCryptoAssets', handle: async () => ({ status: 200, body: [] }) }],
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!({ port: (app.server.address() as AddressInfo).port })
process.on('disconnect', () => process.exit())
