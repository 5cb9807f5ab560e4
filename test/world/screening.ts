/** Screening for tests: a list of sanctions of the platform's own, and the jobs that judge deposits and withdrawals. */
import type { ChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { createScreeningJobs } from '../../server/src/app/composition/screening.ts'
import { noEffects } from '../../server/src/ledger/effects/index.ts'
import type { Catalogue } from '../../server/src/market/assets/index.ts'
import type { Deposits } from '../../server/src/pay-in/deposits/index.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { runUntilIdle } from '../../server/src/platform/jobs/index.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { importList, type ScreeningRules } from '../../server/src/risk/screening/index.ts'
import { nothingSigned } from '../setup/signer.ts'

export const PUBLIC_URL = 'https://pay.example'

/** Settings of screening by imported lists alone; one person decides, and nothing unanswered passes. */
export const screeningBy = (rules: Partial<ScreeningRules> = {}) => ({
  providers: [{ kind: 'local-lists' as const }],
  rules: {
    riskyFrom: 0.5,
    lateAfterMs: 60_000,
    whenUnanswered: 'hold' as const,
    deciders: 1,
    rescreenMs: 86_400_000,
    ...rules,
  },
})

/** Imports a list of sanctions, which replaces the one before. @param asset as lists name it: XBT, ETH, TRX */
export const listSanctions = (db: Db, asset: string, addresses: readonly string[], moment: Moment) =>
  inTransaction(db, (tx) =>
    importList(
      tx,
      {
        source: 'OFAC SDN',
        sha256: addresses.join(),
        date: '2026-01-01',
        entries: addresses.map((address) => ({ address, asset, name: 'BODY' })),
      },
      true,
      moment,
    ),
  )

/** Runs the jobs of screening until nothing is left to do now. */
export const screenAll = (
  runtime: Runtime,
  catalogue: Catalogue,
  {
    deposits = { verify: async () => noEffects },
    screening = screeningBy(),
    pause = async () => {},
  }: {
    deposits?: Pick<Deposits, 'verify'>
    screening?: ReturnType<typeof screeningBy>
    pause?: (point: string) => Promise<void>
  } = {},
): Promise<void> =>
  runUntilIdle(
    createScreeningJobs(
      { runtime, catalogue, publicUrl: PUBLIC_URL, screening },
      { deposits, adapters: new Map<never, ChainAdapter>(), signer: nothingSigned, pause },
    ),
  )
