import type { Signer } from '../../adapters/signer/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { type PausePoint } from '../../chain/transactions/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { decide, findScreening } from '../../risk/screening/index.ts'
import { holdStops } from '../../ledger/stops/index.ts'
import { giveBack, haltedOf, resume } from '../../pay-out/withdrawals/index.ts'
import { createWithdrawalSubscribers } from './invoicing.ts'

const EVERY_MS = 1_000
const MOST = 100

interface HaltedDeps {
  runtime: Runtime
  catalogue: Catalogue
  publicUrl: string
  signer: Pick<Signer, 'closeIntent'>
  screens: boolean
  pause: PausePoint
}

/**
 * Creates the job for withdrawals that were halted because of their destination. A clean one proceeds; a risky one is
 * rejected, and its money released, once the signer has closed its intent. Without screening, all of them proceed.
 */
export const createHaltedJob = (deps: HaltedDeps): Job => ({
  name: 'withdrawals judged again',
  everyMs: EVERY_MS,
  run: async () => {
    await forEachIsolated(await haltedOf(deps.runtime.db, MOST), async (key) => {
      if (await isRisky(deps, key)) await reject(deps, key)
      await deps.pause('halted-decided')
    })
    return false
  },
})

interface Key {
  merchantId: string
  id: string
}

/** Without a judgement against it, a withdrawal proceeds. */
const isRisky = ({ runtime, screens }: HaltedDeps, key: Key): Promise<boolean> =>
  inTransaction(runtime.db, async (tx) => {
    // No sanctions list takes effect meanwhile, so the judgement read here is still valid when it is applied.
    await holdStops(tx)
    const screening = screens ? await findScreening(tx, 'withdrawal', key.merchantId, key.id) : undefined
    if (screening === undefined || screening.state === 'clean' || screening.state === 'released') await resume(tx, key)
    return screening?.state === 'risky'
  })

const reject = async ({ runtime, catalogue, publicUrl, signer }: HaltedDeps, key: Key): Promise<void> => {
  const withdrawalSubscribers = createWithdrawalSubscribers({ catalogue, publicUrl })
  await giveBack({ runtime, catalogue, signer, withdrawalSubscribers }, key, {
    failReason: 'AML_REJECTED',
    within: async (tx) => {
      await holdStops(tx)
      const screening = await findScreening(tx, 'withdrawal', key.merchantId, key.id)
      return screening?.state === 'risky' && (await decide(tx, screening, 'rejected', momentOf(runtime))) !== undefined
    },
  })
}
