import type { Network } from '@bursar/chainkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import { readPolicies } from '../composition/policy.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { readExchangePolicy } from '../../exchange/exchanges/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { exchangeMetricsOf } from './metrics-exchange.ts'
import { metricsOf } from './metrics.ts'
import { lifeMetrics } from '../serving/living.ts'

let database: TestDatabase
let roles: TestRoles
beforeAll(async () => {
  database = await createDatabase({ template: migrated })
  roles = await makeRoles(database.url, 'figures')
  await roles.grant()
})
afterAll(async () => {
  await database?.drop()
  await roles?.drop()
})

test.each(['api', 'worker', 'watcher'] as const)('audit S-3: %s may read the tables of its metrics', async (kind) => {
  const catalogue = createCatalogue({
    crypto: [
      {
        ticker: 'ETH',
        name: 'Ether',
        networks: { ['ETHEREUM' satisfies Network]: { decimals: 18, minDeposit: '0', minWithdrawal: '0' } },
      },
    ],
    fiat: [],
  })
  const pool = createPool({ url: roles.url(kind) })
  const runtime = { db: createDb(pool), clock: createClock() }
  const figures = [
    ...lifeMetrics(runtime),
    ...metricsOf(runtime, catalogue, readPolicies({}).treasury),
    ...exchangeMetricsOf(runtime, catalogue, readExchangePolicy(catalogue, undefined)),
  ]
  const failed: string[] = []
  for (const figure of figures)
    await figure.read().catch((error: Error) => failed.push(`${figure.name}: ${error.message}`))
  await pool.end()
  expect(failed).toEqual([])
})
