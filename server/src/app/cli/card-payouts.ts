import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { abandon, listOpenParts, resolve } from '../../cards/card-payouts/index.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { actor } from './recording.ts'
import { command, flag, UsageError, type Command } from './command.ts'
import { required, withInstallation, type Environment } from '../installation/open.ts'

const MOST_LISTED = 1_000

/** Carries out an operator's decision with all its effects, in one transaction. */
const decide = (
  env: Environment,
  work: (tx: Tx, catalogue: Catalogue, moment: Moment) => Promise<Effects>,
): Promise<void> =>
  withInstallation(env, async ({ runtime, config }) => {
    const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      await carryOut(tx, await work(tx, catalogue, moment), moment)
    })
  })

export const cardPayoutCommands: readonly Command[] = [
  command({
    name: 'card-payouts',
    summary: 'list open parts of card payouts, with their references at the acquirers',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const parts = await listOpenParts(runtime.db, MOST_LISTED)
        const rows = parts.map(({ units, ticker, ...part }) => ({
          ...part,
          amount: formatUnits(units, catalogue.findFiat(ticker)?.scale ?? 0),
          ticker,
        }))
        out.list('parts', rows, { none: 'no part is open' })
      }),
  }),
  command({
    name: 'card-payout resolve',
    summary: 'resolve a payout order whose outcome the acquirer does not report; confirm it with the acquirer first',
    args: ['REFERENCE', 'REASON...'],
    options: {
      paid: flag('the acquirer has paid it'),
      refused: flag('the acquirer has not paid it, and never will: amount and fee go back to the balance'),
    },
    irreversible: 'The order ends as you say. If it was paid and you say refused, it can be paid twice.',
    run: async ({ args, options }, env, out) => {
      if (options.paid === options.refused) throw new UsageError('give one of --paid and --refused')
      const how = options.paid ? 'paid' : 'refused'
      const by = `${actor()}: ${args.REASON}`
      await decide(env, (tx, catalogue, moment) =>
        resolve(tx, { reference: args.REFERENCE, how, by }, catalogue, moment),
      )
      out.say(how === 'paid' ? 'posted as paid' : 'refused; amount and fee are back on the balance')
    },
  }),
  command({
    name: 'card-payout give-up',
    summary: 'end a waiting part that was sent to no acquirer, and return its money to the balance',
    args: ['PART_ID'],
    irreversible: 'The part ends as failed, and its amount and fee go back to the balance.',
    run: async ({ args }, env, out) => {
      await decide(env, (tx, catalogue, moment) => abandon(tx, args.PART_ID, catalogue, moment))
      out.say('given up; amount and fee are back on the balance')
    },
  }),
]
