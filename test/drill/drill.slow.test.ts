/** A database is lost at a random moment and restored: nothing is paid twice, and no address gets a second owner. */
import { expect, test } from 'vitest'
import { debianPrograms } from './cluster.ts'
import { runCut } from './drill.ts'
import { drillFolder } from './folder.ts'

const programs = debianPrograms()
/** Under CI missing programs are a failure. */
const isSkipped = programs === undefined && process.env['CI'] === undefined

test.skipIf(isSkipped)(
  `C10 D12 P11 a lost database is restored from its backup and its log${isSkipped ? " (needs Debian's PostgreSQL)" : ''}`,
  async () => {
    const result = await runCut(programs!, drillFolder(programs!), SEED)
    expect(result).toMatchObject({ paidTwice: 0, notPaid: 0, secondOwners: 0, lostDeposits: 0, faults: [] })
    // A cut that loses nothing would prove nothing.
    expect([result.lostWithdrawals, result.lostPayments, result.lostAddresses, result.suspended]).not.toContain(0)
  },
)

/** A seed whose cut loses something of each kind. */
const SEED = 1
