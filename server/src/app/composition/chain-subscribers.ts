import type { World } from './world.ts'
import { createDerivationCheck } from '../../chain/addresses/index.ts'
import { createConsolidationSettlement, createSupersededSubscriber } from '../../treasury/consolidation/index.ts'
import { createColdSubscriber, createColdSettlement } from '../../treasury/cold/index.ts'
import { depositExpecting } from './converting.ts'
import { createDeposits, type Deposits } from '../../pay-in/deposits/index.ts'
import { createInvoices } from '../../pay-in/crypto-invoices/index.ts'
import { invoiceSettings, createWithdrawalSubscribers, type InvoicingWorld } from './invoicing.ts'
import { holdsUntilVerified } from '../../merchants/accounts/index.ts'
import { createTransactionSubscriber, evmTreasuries, type OutgoingSubscriber } from '../../chain/transactions/index.ts'
import { readingSweeps } from './reading-sweeps.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { createSweepSubscriber, createSweepSettlement } from '../../treasury/sweeps/index.ts'
import { createFunding } from '../../treasury/reconciliation/index.ts'
import {
  createIssuerAlarm,
  createUnknownNoteAlarm,
  createUnprovenAlarm,
  createUntracedAlarm,
  type ChainSubscriber,
} from '../../chain/watcher/index.ts'
import { createSettlement } from '../../pay-out/withdrawals/index.ts'
import { createScreenCredited, createScreenHeld } from './screening.ts'

/** Subscribers that account for the money of our own transactions. */
export const settlements = (world: InvoicingWorld): OutgoingSubscriber[] => {
  const { catalogue } = world
  return [
    createSettlement(catalogue, createWithdrawalSubscribers(world)),
    createSweepSettlement(catalogue),
    createConsolidationSettlement(catalogue),
    createColdSettlement(catalogue),
  ]
}

/** The subscribers to chains, in the order in which they are called. */
export const createChainSubscribers = (
  world: World,
): { subscribers: ChainSubscriber[]; deposits: ReturnType<typeof createDeposits> } => {
  const { catalogue, policies, runtime } = world
  const deposits: Deposits = createDeposits({
    catalogue,
    isDerived: createDerivationCheck(world.wallet),
    policy: policies.deposits,
    prices: (tx, tickers) => freshPrices(tx, tickers, new Date(runtime.clock.now())),
    ...(world.screening === null
      ? { onCredited: [depositExpecting()] }
      : {
          onCredited: [createScreenCredited(world.publicUrl, () => deposits)],
          onVerified: [depositExpecting()],
          holds: holdsUntilVerified,
          onHeld: [createScreenHeld(world.publicUrl, () => deposits)],
        }),
    depositSubscribers: [createInvoices(invoiceSettings(world)).depositSubscriber],
  })
  const outgoing = createTransactionSubscriber(settlements(world))
  const platform = createSweepSubscriber(catalogue)
  const subscribers = [
    outgoing,
    platform,
    createColdSubscriber(catalogue),
    createFunding(catalogue),
    deposits,
    createSupersededSubscriber(),
    createUntracedAlarm(),
    createUnknownNoteAlarm(),
    createUnprovenAlarm(),
    createIssuerAlarm(catalogue),
  ]
  const { first, second } = evmTreasuries(world.wallet)
  const treasuries = { first: first.address, ...(second && { second: second.address }) }
  return { subscribers: [readingSweeps(subscribers, treasuries)], deposits }
}
