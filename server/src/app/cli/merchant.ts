import { randomBytes } from 'node:crypto'
import { inTransaction } from '../../platform/db/index.ts'
import {
  createMerchant,
  listMerchants,
  revokeKey,
  rotateKey,
  setDisabled,
  setSetting,
  SETTING_NAMES,
  type KeyPurpose,
} from '../../merchants/accounts/index.ts'
import { nowOf, revokeKeyAsOperator } from '../../people/access/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { actor } from './recording.ts'
import { isUuid } from '../../platform/base/id.ts'
import { command, neededText, text, textOr, UsageError, type Command } from './command.ts'
import type { Fields } from './output.ts'
import { withInstallation, type Opened } from '../installation/open.ts'

const DAY_MS = 24 * 60 * 60_000

const keyDeps = ({ config }: Opened) => ({
  box: createSecretRing(config.dataKeys),
  random: randomBytes,
  actor: actor(),
})

export const merchantCommands: readonly Command[] = [
  command({
    name: 'merchant create',
    summary: 'create a merchant; its private key and webhook secret are shown once',
    options: {
      name: neededText('NAME', 'the name that payers see'),
      url: neededText('COMPANY_URL', "the merchant's site"),
      company: text('NAME', 'the name of the company, if it is another one'),
      notifications: text('URL', 'the URL to which webhooks are sent'),
    },
    run: async ({ options: { name, url, company, notifications } }, env, out) => {
      await withInstallation(env, async (opened) => {
        const made = await inTransaction(opened.runtime.db, async (tx) => {
          const merchant = { name, companyName: company ?? name, companyUrl: url }
          const created = await createMerchant(tx, merchant, keyDeps(opened), momentOf(opened.runtime))
          if (notifications !== undefined) {
            const setting = { name: 'notificationsUrl', value: notifications }
            await setSetting(tx, created.id, setting, { actor: actor() }, momentOf(opened.runtime))
          }
          return created
        })
        out.show(made)
      })
    },
  }),
  command({
    name: 'merchant list',
    summary: 'list merchants',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const merchants = (await listMerchants(runtime.db)).map((merchant) => ({ ...merchant }))
        out.list('merchants', merchants, { none: 'there are no merchants' })
      }),
  }),
  command({
    name: 'merchant set',
    summary: 'change a setting of a merchant',
    args: ['MERCHANT_ID', 'SETTING', 'VALUE'],
    more: `SETTING is one of ${SETTING_NAMES.join(', ')}.`,
    run: async ({ args: { MERCHANT_ID: id, SETTING: name, VALUE: value } }, env, out) => {
      const change = { name, value }
      await withInstallation(env, async ({ runtime }) => {
        const settings = await inTransaction(runtime.db, (tx) =>
          setSetting(tx, id, change, { actor: actor() }, momentOf(runtime)),
        )
        out.show({ settings: { ...settings } as unknown as Fields })
      })
    },
  }),
  command({
    name: 'merchant rotate-key',
    summary: 'create a new key; the old one stays valid for the overlap',
    more: 'Until the overlap ends, webhooks are signed with the old API key in SIGNATURE, and with both webhook secrets in webhook-signature: give receivers the new one meanwhile. With --overlap-hours 0 the old key ends at once.',
    args: ['MERCHANT_ID'],
    irreversible: 'The old key ends when the overlap is over.',
    options: {
      purpose: textOr('api', 'api|webhook', 'which key'),
      'overlap-hours': textOr('24', 'HOURS', 'how long the old key stays valid'),
    },
    run: async ({ args: { MERCHANT_ID: id }, options: { purpose, 'overlap-hours': hours } }, env, out) => {
      if (purpose !== 'api' && purpose !== 'webhook') throw new UsageError('--purpose is api or webhook')
      if (!/^\d{1,4}$/.test(hours)) throw new UsageError('--overlap-hours is a whole number')
      const rotation = { purpose: purpose as KeyPurpose, overlapMs: (Number(hours) * DAY_MS) / 24 }
      await withInstallation(env, async (opened) => {
        const made = await inTransaction(opened.runtime.db, (tx) =>
          rotateKey(tx, id, rotation, keyDeps(opened), momentOf(opened.runtime)),
        )
        out.show(made)
      })
    },
  }),
  command({
    name: 'merchant revoke-key',
    summary: 'revoke a key now, everywhere: a main or an additional one',
    args: ['MERCHANT_ID', 'KEY_ID'],
    irreversible: 'Every request that is signed with this key is refused from now on.',
    run: async ({ args: { MERCHANT_ID: id, KEY_ID: key } }, env, out) => {
      if (!isUuid(key)) throw new UsageError('KEY_ID is a UUID, as the key was made with')
      await withInstallation(env, ({ runtime }) =>
        inTransaction(runtime.db, async (tx) => {
          const isRevoked = await revokeKeyAsOperator(tx, { merchantId: id, id: key }, actor(), nowOf(runtime))
          if (!isRevoked) await revokeKey(tx, id, key, { actor: actor() }, momentOf(runtime))
        }),
      )
      out.say('revoked')
    },
  }),
  ...(['disable', 'enable'] as const).map((verb) =>
    command({
      name: `merchant ${verb}`,
      summary:
        verb === 'disable'
          ? 'disable a merchant: its requests are answered as if it did not exist'
          : 'enable a disabled merchant',
      args: ['MERCHANT_ID'],
      run: async ({ args: { MERCHANT_ID: id } }, env, out) => {
        await withInstallation(env, ({ runtime }) =>
          inTransaction(runtime.db, (tx) =>
            setDisabled(tx, id, verb === 'disable', { actor: actor() }, momentOf(runtime)),
          ),
        )
        out.say(`${verb}d`)
      },
    }),
  ),
]
