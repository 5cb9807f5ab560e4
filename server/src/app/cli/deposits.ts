import { createChainSubscribers } from '../composition/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { actor } from './recording.ts'
import { command, type Command } from './command.ts'
import { worldOf } from '../installation/world.ts'
import { withInstallation } from '../installation/open.ts'

export const depositCommands: readonly Command[] = [
  command({
    name: 'deposit drop',
    summary: 'end a pending deposit whose money its address does not hold',
    args: ['MERCHANT_ID', 'DEPOSIT_ID', 'REASON...'],
    irreversible: 'The merchant is notified that the deposit has failed.',
    more: 'For the alert deposit-not-held, when another node shows that the transfer did not happen. A deposit that is credited, or whose block is not final, is refused. See docs/operating/chain-trouble.md.',
    run: async ({ args: { MERCHANT_ID: merchantId, DEPOSIT_ID: id, REASON: reason } }, env, out) =>
      withInstallation(env, async (opened) => {
        const world = worldOf(opened)
        const { deposits } = createChainSubscribers(world)
        const isDropped = await inTransaction(world.runtime.db, async (tx) => {
          const moment = momentOf(world.runtime)
          const effects = await deposits.drop(tx, { merchantId, id }, moment)
          if (effects) await carryOut(tx, effects, moment)
          return effects !== undefined
        })
        if (!isDropped)
          throw new Error('no deposit with this id waits until its address holds the money: check both ids')
        world.runtime.log.warn({ deposit: id, actor: actor(), reason }, 'a deposit was dropped')
        out.say('dropped; the address should now hold this much less')
      }),
  }),
]
