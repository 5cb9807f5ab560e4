/** The chain as the watcher reads it: its real steps and subscribers, with blocks that a scene says. */
import type { Block, ChainTransaction, Transfer } from '@bursar/chainkit'
import { createTransactionSubscriber } from '../../server/src/chain/transactions/index.ts'
import { LeadershipLost } from '../../server/src/chain/watcher/index.ts'
import { beginEpoch, readCursor } from '../../server/src/chain/watcher/cursor.ts'
import { applyBlocks, goBack, settleAgain } from '../../server/src/chain/watcher/steps.ts'
import { createDepositExpecting } from '../../server/src/exchange/conversions/index.ts'
import { defaultTargetOf, holdsUntilVerified } from '../../server/src/merchants/accounts/index.ts'
import { createInvoices, invoicesAt, isAskedFor } from '../../server/src/pay-in/crypto-invoices/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY, type Deposits } from '../../server/src/pay-in/deposits/index.ts'
import { createSettlement } from '../../server/src/pay-out/withdrawals/index.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { createColdSettlement, createColdSubscriber } from '../../server/src/treasury/cold/index.ts'
import { createSweepSettlement, createSweepSubscriber } from '../../server/src/treasury/sweeps/index.ts'
import { catalogue, CONTRACT, NETWORK, USD } from './assets.ts'
import { invoiceSettings, withdrawalSubscribers } from './invoicing.ts'
import { screenHeld } from './screening.ts'

/** Credited with the second block, so that a reorganisation can reverse the credit. */
const CONFIRMATIONS = 2
const policy = {
  ...DEFAULT_DEPOSIT_POLICY,
  [NETWORK]: {
    ...DEFAULT_DEPOSIT_POLICY[NETWORK],
    confirmations: { kind: 'tiers', tiers: [], otherwise: CONFIRMATIONS },
  },
} as const

/** Deposits are screened only where the merchant has them held before. */
export const createTestDeposits = (): Deposits => {
  const expecting = createDepositExpecting({ invoicesAt, isAsked: isAskedFor, defaultTicker: defaultTargetOf })
  const deposits: Deposits = createDeposits({
    catalogue,
    policy,
    prices: async () => USD,
    onCredited: [expecting],
    onVerified: [],
    holds: holdsUntilVerified,
    onHeld: [screenHeld(() => deposits)],
    depositSubscribers: [createInvoices(invoiceSettings).depositSubscriber],
  })
  return deposits
}

/** Subscribers to our own transactions. */
export const settlements = [
  createSettlement(catalogue, withdrawalSubscribers),
  createSweepSettlement(catalogue),
  createColdSettlement(catalogue),
]

const stepsOf = (runtime: Runtime) =>
  ({
    runtime,
    network: NETWORK,
    subscribers: [
      createTransactionSubscriber(settlements),
      createSweepSubscriber(catalogue),
      createColdSubscriber(catalogue),
      createTestDeposits(),
    ],
    ringBlocks: 1_000,
  }) as const

const hashAt = (height: number, branch: string): string => `${branch}${height}`

const viewAt = (height: number, branch: string, final: number | null) => ({
  head: { height, hash: hashAt(height, branch) },
  final: final === null ? null : { height: final, hash: hashAt(final, branch) },
})

export const cursorOf = async (runtime: Runtime) => (await readCursor(runtime.db, NETWORK))!

type Cursor = Awaited<ReturnType<typeof cursorOf>>

/** As a watcher that takes the lead, and takes it again when another has taken it. */
const asLeader = async (runtime: Runtime, step: (cursor: Cursor) => Promise<unknown>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await step((await beginEpoch(runtime.db, NETWORK, true))!)
      return
    } catch (error) {
      if (!(error instanceof LeadershipLost) || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

const MOST_ATTEMPTS = 10

/** Reads blocks with these transactions, one for each list. */
export const readBlocks = (runtime: Runtime, ...lists: ChainTransaction[][]): Promise<void> =>
  asLeader(runtime, (cursor) => {
    const blocks = lists.map((transactions, at): Block => {
      const height = cursor.height + 1 + at
      const parent = at === 0 ? cursor.hash : hashAt(height - 1, 'a')
      return { height, hash: hashAt(height, 'a'), parent, time: runtime.clock.now(), transactions }
    })
    return applyBlocks(stepsOf(runtime), cursor, blocks, viewAt(blocks.at(-1)!.height, 'a', null))
  })

/** The newest block that was read is final now. */
export const makeFinal = (runtime: Runtime): Promise<void> =>
  asLeader(runtime, (cursor) => settleAgain(stepsOf(runtime), cursor, viewAt(cursor.height, 'a', cursor.height)))

/** A reorganisation: everything above a block is lost. */
export const loseBlocks = (runtime: Runtime, above: number): Promise<void> =>
  asLeader(runtime, (cursor) => {
    const fork = { height: above, hash: hashAt(above, 'a') }
    return goBack(stepsOf(runtime), cursor, fork, viewAt(above + 1, 'b', null))
  })

let transactions = 0

/** A transaction that pays USDT. @param units of the chain, which are ledger units */
export const payUsdt = (to: string, units: bigint, from = 'payer', hash?: string): ChainTransaction => {
  transactions += 1
  const transfer: Transfer = { index: 'l:0', contract: CONTRACT, from: [from], to, units }
  const named = hash ?? `pay${transactions}`
  return { hash: named, keys: [`${named}:in`], succeeded: true, fee: 1_000n, transfers: [transfer] }
}
