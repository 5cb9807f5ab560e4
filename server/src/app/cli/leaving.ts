import { beginEnding, finishEnding, reopen, serviceOf } from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { countUndeliverable, openItems } from '../composition/open-items.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import { actor } from './recording.ts'
import { command, type Command } from './command.ts'
import type { Output } from './output.ts'

const realTime = ({ clock }: Opened['runtime']): Date => new Date(clock.now())

const showOpen = async ({ runtime, config }: Opened, merchantId: string, out: Output): Promise<void> => {
  const open = await openItems(runtime.db, merchantId, required(config.assets, 'BURSAR_ASSETS_FILE'), realTime(runtime))
  const { state, since } = await serviceOf(runtime.db, merchantId)
  const undeliverable = await countUndeliverable(runtime.db, merchantId)
  out.show({ state, since, open, undeliverable }, [])
  out.say(`the merchant is ${state}${since === null ? '' : `, since ${since.toISOString()}`}`)
  for (const one of open) out.say(`- ${one}`)
  if (open.length === 0) out.say('nothing is open, and no balance is left')
  if (undeliverable > 0)
    out.say(`${undeliverable} objects have notifications, and the merchant has no URL: it can end with them`)
}

export const leavingCommands: readonly Command[] = [
  command({
    name: 'merchant status',
    summary: 'show whether a merchant is active, ending or ended, and everything that is open or left on its balances',
    args: ['MERCHANT_ID'],
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) =>
      withInstallation(env, (opened) => showOpen(opened, merchantId, out)),
  }),
  command({
    name: 'merchant end',
    summary: 'begin to end a merchant: no new invoices and addresses; open invoices and payouts continue',
    args: ['MERCHANT_ID'],
    more: '`bursar merchant reopen` reverses it. See docs/operating/leaving.md.',
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        await inTransaction(runtime.db, (tx) => beginEnding(tx, { merchantId, actor: actor() }, momentOf(runtime)))
        await showOpen(opened, merchantId, out)
      }),
  }),
  command({
    name: 'merchant reopen',
    summary: 'make an ending merchant active again; a merchant that has ended becomes ending',
    args: ['MERCHANT_ID'],
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const next = await inTransaction(runtime.db, (tx) =>
          reopen(tx, { merchantId, actor: actor() }, momentOf(runtime)),
        )
        out.say(`the merchant is ${next}`)
      }),
  }),
  command({
    name: 'merchant finish',
    summary: 'end an ending merchant; refused while anything is open or left on a balance',
    args: ['MERCHANT_ID'],
    more: 'First write off, by an adjustment, the balances that are too small to pay out (docs/operating/adjustments.md), and export the merchant (`bursar merchant export`).',
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) =>
      withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        await inTransaction(runtime.db, async (tx) => {
          const open = await openItems(tx, merchantId, catalogue, realTime(runtime))
          await finishEnding(tx, { merchantId, actor: actor(), open }, momentOf(runtime))
        })
        out.say('the merchant has ended')
      }),
  }),
]
