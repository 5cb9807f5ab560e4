import { inTransaction } from '../db/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { listAttempts, listExhausted, replayEvents, skipEvent, wakeMerchant } from '../webhooks/index.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'

const sequence = (text: string | undefined, what: string): number => {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new UsageError(`${what} is a sequence number`)
  return Number(text)
}

export const eventCommands: readonly Command[] = [
  {
    name: 'events exhausted',
    usage: 'events exhausted [MERCHANT_ID]',
    summary: 'list notifications whose retries have run out',
    run: async ([merchantId], env) =>
      withInstallation(env, async ({ runtime }) => print(await listExhausted(runtime.db, merchantId === undefined ? {} : { merchantId }))),
  },
  {
    name: 'events attempts',
    usage: 'events attempts MERCHANT_ID SEQUENCE',
    summary: 'list the attempts at one notification',
    run: async ([merchantId, number], env) => {
      const id = needed(merchantId, 'MERCHANT_ID')
      const at = sequence(number, 'SEQUENCE')
      await withInstallation(env, async ({ runtime }) => print(await listAttempts(runtime.db, id, at)))
    },
  },
  {
    name: 'events replay',
    usage: 'events replay MERCHANT_ID OBJECT_ID | MERCHANT_ID FROM TO',
    summary: 'send notifications again: all of an object, or a range of sequences',
    run: async ([merchantId, first, last], env) => {
      const id = needed(merchantId, 'MERCHANT_ID')
      const choice = last === undefined ? { objectId: needed(first, 'OBJECT_ID') } : { from: sequence(first, 'FROM'), to: sequence(last, 'TO') }
      await withInstallation(env, async ({ runtime }) => {
        const count = await inTransaction(runtime.db, (tx) => replayEvents(tx, id, choice, momentOf(runtime)))
        print(`${count} object(s) will be told again`)
      })
    },
  },
  {
    name: 'events skip',
    usage: 'events skip MERCHANT_ID OBJECT_ID',
    summary: 'give up the notification that an object waits for, so that its next can go',
    run: async ([merchantId, objectId], env) => {
      const [id, object] = [needed(merchantId, 'MERCHANT_ID'), needed(objectId, 'OBJECT_ID')]
      await withInstallation(env, async ({ runtime }) => {
        const skipped = await inTransaction(runtime.db, (tx) => skipEvent(tx, id, object, momentOf(runtime)))
        if (skipped === null) throw new Error('nothing of this object waits')
        print(`skipped ${skipped}; it stays in GET /merchants/events`)
      })
    },
  },
  {
    name: 'events wake',
    usage: 'events wake MERCHANT_ID',
    summary: 'try everything that waits for a merchant now',
    run: async ([merchantId], env) => {
      const id = needed(merchantId, 'MERCHANT_ID')
      await withInstallation(env, async ({ runtime }) => {
        await inTransaction(runtime.db, (tx) => wakeMerchant(tx, id, momentOf(runtime)))
        print('woken')
      })
    },
  },
]
