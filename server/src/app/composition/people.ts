import { randomBytes } from 'node:crypto'
import {
  createBuckets,
  createChallenges,
  createDevices,
  createPasswords,
  relyingPartyOf,
} from '../../people/access/index.ts'
import { dashboardRoutes } from '../../people/pages/index.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import type { World } from './world.ts'

/** Creates the pages of the dashboard. @param dataKeys the newest first */
export const createDashboard = (
  { runtime, publicUrl }: Pick<World, 'runtime' | 'publicUrl'>,
  dataKeys: readonly Uint8Array[],
): PageRoute[] =>
  dashboardRoutes({
    runtime,
    db: runtime.db,
    publicUrl,
    party: relyingPartyOf(publicUrl),
    ring: createSecretRing(dataKeys),
    random: randomBytes,
    challenges: createChallenges(dataKeys, randomBytes),
    passwords: createPasswords(randomBytes),
    bucketOf: createBuckets(dataKeys),
    devices: createDevices(dataKeys, randomBytes),
  })
