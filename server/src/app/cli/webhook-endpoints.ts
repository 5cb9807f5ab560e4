import { randomBytes } from 'node:crypto'
import { endpointHealth, listEndpoints, NOTIFICATION_KINDS } from '../../merchants/webhooks/index.ts'
import {
  createEndpointAsOperator,
  EndpointProblem,
  nowOf,
  removeEndpointAsOperator,
  type EndpointTrouble,
} from '../../people/access/index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { withInstallation } from '../installation/open.ts'
import { actor } from './recording.ts'
import { command, neededText, text, UsageError, type Command } from './command.ts'

const TROUBLES: Record<EndpointTrouble, string> = {
  url: '--url is an address such as https://shop.example/hooks, without a user name, password or #',
  description: '--description is one line of at most 100 characters',
  kinds: `--kinds is one or more of ${NOTIFICATION_KINDS.join(', ')}`,
  known: 'this endpoint was made before',
  'too-many': 'the merchant has ten endpoints: remove one first',
  limited: 'too many endpoints were made within an hour',
  changed: 'the endpoint was changed meanwhile',
  unchanged: 'the endpoint is so already',
  unknown: 'the merchant has no such additional endpoint: `bursar merchant webhooks` lists them',
}

export const webhookEndpointCommands: readonly Command[] = [
  command({
    name: 'merchant webhooks',
    summary: 'list the additional endpoints of a merchant, and the notifications that wait for each',
    args: ['MERCHANT_ID'],
    more: 'The first endpoint is the setting notificationsUrl, which `bursar merchant set` changes.',
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const endpoints = await listEndpoints(runtime.db, merchantId)
        const rows = []
        for (const { id, url, description, kinds, isOn } of endpoints) {
          const { waiting, failing } = await endpointHealth(runtime.db, id)
          rows.push({ id, url, description, kinds: kinds?.join(',') ?? 'all', isOn, waiting, failing })
        }
        out.list('endpoints', rows, { none: 'the merchant has no additional endpoints' })
      }),
  }),
  command({
    name: 'merchant add-webhook',
    summary: 'make an additional endpoint of a merchant; its secret is shown once',
    args: ['MERCHANT_ID'],
    options: {
      url: neededText('URL', 'the URL to which notifications are sent'),
      description: text('TEXT', 'a text by which you recognise it later'),
      kinds: text('KINDS', 'kinds of notifications that it gets, separated by commas; all when left out'),
    },
    more: 'It gets notifications that are made from now on, signed by its own secret: see docs/integrating/webhooks.md. The owners of the merchant are mailed.',
    run: async ({ args: { MERCHANT_ID: merchantId }, options: { url, description = '', kinds } }, env, out) =>
      withInstallation(env, async ({ runtime, config }) => {
        const id = runtime.newId()
        const chosen = kinds?.split(',').map((kind) => kind.trim()) ?? null
        const asked = { merchantId, id, url, description, kinds: chosen }
        const secrets = { ring: createSecretRing(config.dataKeys), random: randomBytes }
        try {
          const secret = await inTransaction(runtime.db, (tx) =>
            createEndpointAsOperator(tx, asked, actor(), secrets, nowOf(runtime)),
          )
          out.show({ endpointId: id, secret })
        } catch (error) {
          if (!(error instanceof EndpointProblem)) throw error
          throw new RangeError(error.troubles.map((trouble) => TROUBLES[trouble]).join('; '), { cause: error })
        }
      }),
  }),
  command({
    name: 'merchant remove-webhook',
    summary: 'remove an additional endpoint of a merchant, with the notifications that wait for it',
    args: ['MERCHANT_ID', 'ENDPOINT_ID'],
    irreversible: 'Nothing is sent to this endpoint any more, and its secret is lost.',
    run: async ({ args: { MERCHANT_ID: merchantId, ENDPOINT_ID: id } }, env, out) => {
      if (!isUuid(id)) throw new UsageError('ENDPOINT_ID is a UUID, as `bursar merchant webhooks` shows')
      await withInstallation(env, async ({ runtime }) => {
        const isRemoved = await inTransaction(runtime.db, (tx) =>
          removeEndpointAsOperator(tx, { merchantId, id }, actor(), nowOf(runtime)),
        )
        if (!isRemoved) throw new RangeError(TROUBLES.unknown)
      })
      out.say('removed')
    },
  }),
]
