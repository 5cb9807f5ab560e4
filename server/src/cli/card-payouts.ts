import { parseArgs } from 'node:util'
import type { Catalogue } from '../assets/index.ts'
import type { Moment } from '../base/moment.ts'
import { abandon, listOpenParts, resolve } from '../card-payouts/index.ts'
import { inTransaction, type Tx } from '../db/index.ts'
import { carryOut, type Effects } from '../effects/index.ts'
import { formatUnits } from '../money/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { actor } from './actor.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'
import { required, type Environment } from './open.ts'

const MOST_LISTED = 1_000

/** Does what a person decides in one transaction, with all that follows from it. */
const decide = (env: Environment, work: (tx: Tx, catalogue: Catalogue, moment: Moment) => Promise<Effects>): Promise<void> =>
  withInstallation(env, async ({ runtime, config }) => {
    const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      await carryOut(tx, await work(tx, catalogue, moment), moment)
    })
  })

export const cardPayoutCommands: readonly Command[] = [
  {
    name: 'card-payouts',
    usage: 'card-payouts',
    summary: 'list parts of card payouts that have not ended, with what their acquirers know them by',
    run: async (_args, env) =>
      withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const parts = await listOpenParts(runtime.db, MOST_LISTED)
        for (const { units, ...part } of parts) print({ ...part, amount: formatUnits(units, catalogue.findFiat(part.ticker)?.scale ?? 0) })
        if (parts.length === 0) print('nothing')
      }),
  },
  {
    name: 'card-payout resolve',
    usage: 'card-payout resolve REFERENCE --paid|--refused REASON...',
    summary: 'say how an order ended of which its acquirer says nothing; only after the acquirer told you by other means',
    run: async (args, env) => {
      const flag = { type: 'boolean', default: false } as const
      const { values, positionals } = parseArgs({ args: [...args], options: { paid: flag, refused: flag }, allowPositionals: true })
      if (values.paid === values.refused) throw new UsageError('say how it ended: --paid or --refused')
      const [reference, ...reason] = positionals
      const how = values.paid ? 'paid' : 'refused'
      const by = `${actor()}: ${needed(reason.join(' '), 'REASON')}`
      await decide(env, (tx, catalogue, moment) => resolve(tx, { reference: needed(reference, 'REFERENCE'), how, by }, catalogue, moment))
      print(how === 'paid' ? 'booked as paid' : 'refused; amount and fee are back on the balance')
    },
  },
  {
    name: 'card-payout give-up',
    usage: 'card-payout give-up PART_ID',
    summary: 'end a part that waits and that no acquirer was told of; gives the money back',
    run: async ([part], env) => {
      await decide(env, (tx, catalogue, moment) => abandon(tx, needed(part, 'PART_ID'), catalogue, moment))
      print('given up; amount and fee are back on the balance')
    },
  },
]
