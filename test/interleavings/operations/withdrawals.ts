/** Withdrawals: placed, planned, delivered inside, given back, mined, final, and lost in a reorganisation. */
import {
  createEvmPayoutJob,
  createInternalDeliveryJob,
  withdrawalRoutes,
} from '../../../server/src/pay-out/withdrawals/index.ts'
import { giveBack } from '../../../server/src/pay-out/withdrawals/refusals.ts'
import { storeFeeRate } from '../../../server/src/pay-out/withdrawals/terms.ts'
import { createCommitter } from '../../../server/src/ledger/postings/index.ts'
import { answerOf } from '../../world/requests.ts'
import { catalogue, GAS, NETWORK, OUTSIDE } from '../assets.ts'
import { createTestDeposits, loseBlocks, makeFinal, readBlocks } from '../chain.ts'
import { withdrawalSubscribers } from '../invoicing.ts'
import { ownPayment, USDT_ORDER } from '../scene.ts'
import { LOCAL_ID, shown, type Operation, type Process } from './operation.ts'
import { createOrderPolicy } from '../../../server/src/pay-out/requests/index.ts'

const { signal } = new AbortController()

const place = async ({ runtime, settings, holders }: Process, merchantId: string, more: object): Promise<string> => {
  const committer = createCommitter(settings, 1)
  try {
    const routes = withdrawalRoutes({
      runtime,
      committer,
      holders,
      rules: { catalogue, bitcoinChain: 'regtest' },
      orderPolicy: createOrderPolicy(runtime),
    })
    const body = { ticker: 'USDT', blockchain: NETWORK, to: OUTSIDE, amount: USDT_ORDER, ...more }
    return shown(await answerOf(routes, 'createCryptoWithdrawal', merchantId, { body }))
  } finally {
    await committer.close()
  }
}

export const withdrawalOperations: readonly Operation[] = [
  {
    name: 'withdraw',
    changes: ['USDT', 'payouts'],
    reads: ['stops', 'fees'],
    run: (process, { merchantId }) => place(process, merchantId, {}),
  },
  {
    name: 'withdraw-once',
    changes: ['USDT', 'payouts'],
    reads: ['stops', 'fees'],
    run: (process, { merchantId }) => place(process, merchantId, { localId: LOCAL_ID }),
  },
  {
    name: 'plan',
    changes: ['payouts', 'cold storage'],
    reads: ['stops'],
    isJob: true,
    run: async ({ runtime }, { world }) => {
      const deps = { ...world.evm, runtime, catalogue, approved: async (all: readonly unknown[]) => [...all] }
      await createEvmPayoutJob(deps as typeof world.evm, 1).run(signal)
    },
  },
  {
    name: 'give-back',
    changes: ['USDT', 'payouts'],
    run: async ({ runtime }, { world, merchantId, objects }) => {
      const deps = { runtime, catalogue, signer: world.signer, withdrawalSubscribers }
      return (await giveBack(deps, { merchantId, id: objects.waiting })).kind
    },
  },
  {
    name: 'deliver',
    changes: ['USDT', 'internal'],
    reads: ['stops'],
    isJob: true,
    run: async ({ runtime }) => {
      const deposits = createTestDeposits()
      const job = createInternalDeliveryJob({
        runtime,
        catalogue,
        networks: [NETWORK],
        receive: (tx, withdrawal, moment) => deposits.receiveInternal(tx, withdrawal, moment),
        withdrawalSubscribers,
      })
      await job.run(signal)
    },
  },
  {
    name: 'give-back-internal',
    changes: ['USDT', 'internal'],
    run: async ({ runtime }, { world, merchantId, objects }) => {
      const deps = { runtime, catalogue, signer: world.signer, withdrawalSubscribers }
      return (await giveBack(deps, { merchantId, id: objects.internal })).kind
    },
  },
  {
    name: 'mine',
    changes: ['USDT', 'blocks', 'payouts'],
    run: ({ runtime }, { objects }) => readBlocks(runtime, [ownPayment(objects.sent)]),
  },
  { name: 'make-final', changes: ['USDT', 'blocks', 'payouts', 'sweeps'], run: ({ runtime }) => makeFinal(runtime) },
  {
    name: 'lose-payment',
    changes: ['USDT', 'blocks', 'payouts', 'crypto invoices', 'screenings'],
    run: ({ runtime }, { below }) => loseBlocks(runtime, below.all),
  },
  {
    name: 'raise-fees',
    changes: ['fees'],
    run: async ({ runtime }) => {
      const rate = {
        kind: 'gas',
        legacy: false,
        maxFeePerGas: 2n * GAS * 1_000_000_000n,
        maxPriorityFeePerGas: 1n,
      } as const
      await storeFeeRate(runtime.db, NETWORK, rate, runtime.clock.now())
    },
  },
]
