import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import {
  attemptsAtEndpoints,
  findEndpoint,
  listAttempts,
  listExhausted,
  replayEvents,
  skipEvent,
  wakeEndpoint,
  wakeMerchant,
} from '../../merchants/webhooks/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import { uuid } from './argument-kinds.ts'
import { command, UsageError, type Command } from './command.ts'
import { withInstallation } from '../installation/open.ts'

const sequence = (text: string, what: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${what} is a sequence number`)
  return Number(text)
}

const endpoint = uuid('at this additional endpoint; without it at the endpoint of the setting notificationsUrl')

/** @throws RangeError when the merchant has no such endpoint */
const checkEndpoint = async (db: Db | Tx, merchantId: string, endpointId: string | undefined): Promise<void> => {
  if (endpointId !== undefined && (await findEndpoint(db, merchantId, endpointId)) === undefined)
    throw new RangeError('the merchant has no such additional endpoint: `bursar merchant webhooks` lists them')
}

const MOST_ATTEMPTS = 100

export const eventCommands: readonly Command[] = [
  command({
    name: 'events exhausted',
    summary: 'list exhausted notifications, whose scheduled retries are used up',
    args: ['[MERCHANT_ID]'],
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) =>
      withInstallation(env, async ({ runtime }) =>
        out.list(
          'notifications',
          (await listExhausted(runtime.db, merchantId === undefined ? {} : { merchantId })).map((one) => ({ ...one })),
          { none: 'no retries have run out' },
        ),
      ),
  }),
  command({
    name: 'events attempts',
    summary: 'list the attempts at one notification',
    args: ['MERCHANT_ID', 'SEQUENCE'],
    options: { endpoint },
    run: async ({ args: { MERCHANT_ID: id, SEQUENCE: number }, options }, env, out) => {
      const at = sequence(number, 'SEQUENCE')
      await withInstallation(env, async ({ runtime }) => {
        await checkEndpoint(runtime.db, id, options.endpoint)
        const found =
          options.endpoint === undefined
            ? await listAttempts(runtime.db, id, at, MOST_ATTEMPTS)
            : await attemptsAtEndpoints(runtime.db, [options.endpoint], at, MOST_ATTEMPTS)
        const attempts = found.map((attempt) => ({ ...attempt }))
        out.list('attempts', attempts, { heads: { durationMs: 'took ms' }, none: 'nothing was sent of it yet' })
      })
    },
  }),
  command({
    name: 'events replay',
    summary: 'send notifications again: all of an object, or a range of sequences',
    args: ['MERCHANT_ID', 'OBJECT_ID_OR_FROM', '[TO]'],
    options: { endpoint },
    more: 'An additional endpoint gets those of the kinds that it has chosen.',
    run: async ({ args: { MERCHANT_ID: id, OBJECT_ID_OR_FROM: first, TO: last }, options }, env, out) => {
      if (last === undefined && !isUuid(first))
        throw new UsageError('OBJECT_ID is a UUID; to send a range of sequence numbers, give FROM and TO')
      const choice =
        last === undefined ? { objectId: first } : { from: sequence(first, 'FROM'), to: sequence(last, 'TO') }
      await withInstallation(env, async ({ runtime }) => {
        const count = await inTransaction(runtime.db, async (tx) => {
          await checkEndpoint(tx, id, options.endpoint)
          return replayEvents(tx, id, choice, momentOf(runtime), options.endpoint)
        })
        out.say(
          count === 0
            ? 'no such notification is stored; archived ones are in the files that `bursar archive list` names'
            : `the notifications of ${count} object(s) are sent again`,
        )
      })
    },
  }),
  command({
    name: 'events skip',
    summary: 'skip a notification that blocks the later ones of its object',
    args: ['MERCHANT_ID', 'OBJECT_ID'],
    options: { endpoint },
    irreversible: 'The notification is never sent to this endpoint; only GET /merchants/events still has it.',
    run: async ({ args: { MERCHANT_ID: id, OBJECT_ID: object }, options }, env, out) => {
      await withInstallation(env, async ({ runtime }) => {
        const skipped = await inTransaction(runtime.db, async (tx) => {
          await checkEndpoint(tx, id, options.endpoint)
          return skipEvent(tx, id, object, momentOf(runtime), options.endpoint)
        })
        if (skipped === null) throw new Error('no notification of this object waits')
        out.say(`skipped ${skipped}; it stays in GET /merchants/events`)
      })
    },
  }),
  command({
    name: 'events wake',
    summary: 'retry all waiting notifications of a merchant now',
    args: ['MERCHANT_ID'],
    options: { endpoint },
    run: async ({ args: { MERCHANT_ID: id }, options }, env, out) => {
      await withInstallation(env, async ({ runtime }) => {
        await inTransaction(runtime.db, async (tx) => {
          await checkEndpoint(tx, id, options.endpoint)
          if (options.endpoint === undefined) await wakeMerchant(tx, id, momentOf(runtime))
          else await wakeEndpoint(tx, options.endpoint, momentOf(runtime))
        })
        out.say('its waiting notifications are sent now')
      })
    },
  }),
]
