/** Card payouts: placed, sent to an acquirer, paid, and given back by it. */
import { createRoutingTable } from '../../../server/src/cards/acquiring/index.ts'
import {
  cardPayoutRoutes,
  createAskingJob,
  createSendingJob,
  type CardPayoutDeps,
} from '../../../server/src/cards/card-payouts/index.ts'
import { createCommitter } from '../../../server/src/ledger/postings/index.ts'
import { answerOf } from '../../world/requests.ts'
import { CARD, catalogue } from '../assets.ts'
import { UAH_ORDER, type Scene } from '../scene.ts'
import { shown, type Operation, type Process } from './operation.ts'
import { createOrderPolicy } from '../../../server/src/pay-out/requests/index.ts'

const { signal } = new AbortController()

const depsOf = (
  { runtime }: Pick<Process, 'runtime'>,
  { bank, ring }: Pick<Scene, 'bank' | 'ring'>,
): CardPayoutDeps => ({
  runtime,
  catalogue,
  acquirers: new Map([[bank.name, bank]]),
  routing: createRoutingTable([bank]),
  cards: ring,
  callbackUrl: (account) => `https://pay.example/callbacks/${account}`,
  pause: async () => {},
})

const ask = async (process: Process, scene: Scene): Promise<void> => {
  await createAskingJob(depsOf(process, scene), scene.bank, 1).run(signal)
}

export const cardOperations: readonly Operation[] = [
  {
    name: 'pay-card',
    changes: ['UAH', 'card payouts'],
    reads: ['stops'],
    run: async (process, scene) => {
      const { runtime, settings } = process
      const committer = createCommitter(settings, 1)
      const rules = { catalogue, routing: createRoutingTable([scene.bank]) }
      const random = (below: number): number => Math.floor(below / 2)
      const routes = cardPayoutRoutes({
        runtime,
        committer,
        rules,
        cards: scene.ring,
        random,
        orderPolicy: createOrderPolicy(runtime),
      })
      const body = { ticker: 'UAH', to: CARD, amount: UAH_ORDER }
      try {
        return shown(await answerOf(routes, 'createFiatWithdrawal', scene.merchantId, { body }))
      } finally {
        await committer.close()
      }
    },
  },
  {
    name: 'send-card',
    isJob: true,
    changes: ['UAH', 'card payouts'],
    reads: ['stops'],
    run: async (process, scene) => {
      await createSendingJob(depsOf(process, scene), 1).run(signal)
    },
  },
  {
    name: 'card-paid',
    isJob: true,
    changes: ['UAH', 'card payouts'],
    prepare: ({ bank, objects }) => bank.end(objects.sentCard, 'pays'),
    run: ask,
  },
  {
    name: 'card-returned',
    isJob: true,
    changes: ['UAH', 'card payouts'],
    prepare: ({ bank, objects }) => bank.end(objects.paidCard, 'reverses'),
    run: ask,
  },
]
