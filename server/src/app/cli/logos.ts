import { lockSettings, merchantExists } from '../../merchants/accounts/index.ts'
import { logoHashes, removeLogo } from '../../merchants/logos/index.ts'
import { nowOf, record } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { withInstallation } from '../installation/open.ts'
import { actor } from './recording.ts'
import { command, type Command } from './command.ts'

export const logoCommands: readonly Command[] = [
  command({
    name: 'merchant remove-logo',
    summary: 'remove the logo of a merchant from its pages, and the draft of a logo',
    args: ['MERCHANT_ID'],
    irreversible: 'The pictures are deleted. Members of the merchant can upload a logo again.',
    more: 'For a logo that imitates another business. Disable the merchant to prevent another upload.',
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) => {
      await withInstallation(env, async ({ runtime }) => {
        const removed = await inTransaction(runtime.db, async (tx) => {
          if (!(await merchantExists(tx, merchantId))) throw new RangeError(`no merchant has the id ${merchantId}`)
          await lockSettings(tx, merchantId)
          const hashes = await logoHashes(tx, merchantId)
          for (const state of ['draft', 'shown'] as const) await removeLogo(tx, merchantId, state)
          const detail = { ...hashes }
          if (Object.keys(detail).length > 0)
            await record(
              tx,
              { merchantId, personId: null, actor: actor(), action: 'removed logo', detail },
              nowOf(runtime),
            )
          return detail
        })
        out.show({ removed }, [])
        out.say(Object.keys(removed).length === 0 ? 'the merchant has no logo' : 'removed')
      })
    },
  }),
]
