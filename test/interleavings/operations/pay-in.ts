/** Deposits and crypto invoices: credited, taken back, paid, expired, closed, and given back to the payer. */
import {
  approveClaim,
  createExpiryJob,
  createInvoiceCreator,
  invoiceRoutes,
  refuseClaim,
} from '../../../server/src/pay-in/crypto-invoices/index.ts'
import { askWithdrawal } from '../../../server/src/pay-out/withdrawals/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { momentOf } from '../../../server/src/platform/runtime/runtime.ts'
import { answerOf } from '../../world/requests.ts'
import { catalogue, ONE_USDT } from '../assets.ts'
import { loseBlocks, payUsdt, readBlocks } from '../chain.ts'
import { invoiceSettings } from '../invoicing.ts'
import { shown, type Operation } from './operation.ts'

const { signal } = new AbortController()
const settings = invoiceSettings

export const payInOperations: readonly Operation[] = [
  { name: 'credit', changes: ['USDT', 'blocks'], run: ({ runtime }) => readBlocks(runtime, []) },
  {
    name: 'take-back',
    changes: ['USDT', 'blocks', 'screenings'],
    run: ({ runtime }, { below }) => loseBlocks(runtime, below.deposits),
  },
  {
    name: 'pay-invoice',
    changes: ['USDT', 'blocks', 'crypto invoices'],
    run: ({ runtime }, { addresses }) =>
      readBlocks(runtime, [payUsdt(addresses.invoice, 100n * ONE_USDT, 'payer', 'paid')], []),
  },
  {
    name: 'pay-late',
    changes: ['USDT', 'blocks', 'crypto invoices'],
    run: ({ runtime }, { addresses }) =>
      readBlocks(runtime, [payUsdt(addresses.underpaid, 40n * ONE_USDT, 'payer', 'late')], []),
  },
  {
    name: 'expire',
    changes: ['crypto invoices'],
    isJob: true,
    run: async ({ runtime }) => {
      await createExpiryJob({ runtime, settings, everyMs: 1, pause: async () => {} }).run(signal)
    },
  },
  {
    name: 'close',
    changes: ['crypto invoices'],
    run: async ({ runtime }, { merchantId, objects }) => {
      const creator = createInvoiceCreator(runtime.db)
      const keepTarget = () => Promise.reject(new Error('a closed invoice keeps no target'))
      const routes = invoiceRoutes({ runtime, directory: { find: () => null }, creator, settings, keepTarget })
      return shown(await answerOf(routes, 'closeCryptoInvoice', merchantId, { params: { id: objects.underpaid } }))
    },
  },
  {
    name: 'refund',
    changes: ['USDT', 'payouts', 'crypto invoices'],
    reads: ['stops', 'fees'],
    run: async ({ runtime }, { merchantId, objects }) => {
      const moment = momentOf(runtime)
      const rules = { catalogue, bitcoinChain: 'regtest' } as const
      await inTransaction(runtime.db, (tx) =>
        approveClaim(
          tx,
          { merchantId, id: objects.claim },
          (refund) => askWithdrawal(tx, refund, rules, runtime.clock.now(), moment),
          null,
          settings,
          moment,
        ),
      )
    },
  },
  {
    name: 'refuse-refund',
    changes: ['crypto invoices'],
    run: ({ runtime }, { merchantId, objects }) =>
      inTransaction(runtime.db, (tx) =>
        refuseClaim(tx, { merchantId, id: objects.claim }, null, settings, momentOf(runtime)),
      ),
  },
]
