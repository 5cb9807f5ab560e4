import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { inTransaction } from '../db/index.ts'
import {
  createMerchant, listMerchants, revokeKey, rotateKey, setDisabled, setSetting, SETTING_NAMES, type KeyPurpose,
} from '../merchants/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { createSecretBox } from '../platform/secrets.ts'
import { print, UsageError, type Command } from './command.ts'
import { openInstallation, type Environment, type Opened } from './open.ts'

const ACTOR = 'cli'
const DAY_MS = 24 * 60 * 60_000

const withInstallation = async <T>(env: Environment, work: (opened: Opened) => Promise<T>): Promise<T> => {
  const opened = await openInstallation(env, 'cli')
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

const keyDeps = ({ config }: Opened) => ({ box: createSecretBox(config.dataKey), random: randomBytes, actor: ACTOR })

const needed = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`)
  return value
}

export const merchantCommands: readonly Command[] = [
  {
    name: 'merchant create',
    usage: 'merchant create --name NAME --url COMPANY_URL [--company NAME] [--notifications URL]',
    summary: 'make a merchant; prints its id and private key, the only time',
    run: async (args, env) => {
      const options = { name: { type: 'string' }, company: { type: 'string' }, url: { type: 'string' }, notifications: { type: 'string' } } as const
      const { values } = parseArgs({ args: [...args], options })
      const name = needed(values.name, '--name')
      await withInstallation(env, async (opened) => {
        const made = await inTransaction(opened.runtime.db, async (tx) => {
          const merchant = { name, companyName: values.company ?? name, companyUrl: needed(values.url, '--url') }
          const created = await createMerchant(tx, merchant, keyDeps(opened), momentOf(opened.runtime))
          if (values.notifications !== undefined) {
            const setting = { name: 'notificationsUrl', value: values.notifications }
            await setSetting(tx, created.id, setting, { actor: ACTOR }, momentOf(opened.runtime))
          }
          return created
        })
        print(made)
      })
    },
  },
  {
    name: 'merchant list',
    usage: 'merchant list',
    summary: 'list merchants',
    run: async (_args, env) => withInstallation(env, async ({ runtime }) => print(await listMerchants(runtime.db))),
  },
  {
    name: 'merchant set',
    usage: 'merchant set MERCHANT_ID SETTING VALUE',
    summary: `change a setting: ${SETTING_NAMES.join(', ')}`,
    run: async ([merchantId, name, value], env) => {
      const change = { name: needed(name, 'SETTING'), value: needed(value, 'VALUE') }
      const id = needed(merchantId, 'MERCHANT_ID')
      await withInstallation(env, async ({ runtime }) => {
        print(await inTransaction(runtime.db, (tx) => setSetting(tx, id, change, { actor: ACTOR }, momentOf(runtime))))
      })
    },
  },
  {
    name: 'merchant rotate-key',
    usage: 'merchant rotate-key MERCHANT_ID [--purpose api|webhook] [--overlap-hours 24]',
    summary: 'make a new key; the old one stays valid for the overlap',
    run: async (args, env) => {
      const options = { purpose: { type: 'string', default: 'api' }, 'overlap-hours': { type: 'string', default: '24' } } as const
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
      if (values.purpose !== 'api' && values.purpose !== 'webhook') throw new UsageError('--purpose is api or webhook')
      if (!/^\d{1,4}$/.test(values['overlap-hours'])) throw new UsageError('--overlap-hours is a whole number')
      const rotation = { purpose: values.purpose as KeyPurpose, overlapMs: (Number(values['overlap-hours']) * DAY_MS) / 24 }
      const id = needed(positionals[0], 'MERCHANT_ID')
      await withInstallation(env, async (opened) => {
        print(await inTransaction(opened.runtime.db, (tx) => rotateKey(tx, id, rotation, keyDeps(opened), momentOf(opened.runtime))))
      })
    },
  },
  {
    name: 'merchant revoke-key',
    usage: 'merchant revoke-key MERCHANT_ID KEY_ID',
    summary: 'end a key now, everywhere',
    run: async ([merchantId, keyId], env) => {
      const [id, key] = [needed(merchantId, 'MERCHANT_ID'), needed(keyId, 'KEY_ID')]
      await withInstallation(env, ({ runtime }) => inTransaction(runtime.db, (tx) => revokeKey(tx, id, key, { actor: ACTOR }, momentOf(runtime))))
      print('revoked')
    },
  },
  ...(['disable', 'enable'] as const).map((verb): Command => ({
    name: `merchant ${verb}`,
    usage: `merchant ${verb} MERCHANT_ID`,
    summary: verb === 'disable' ? 'answer its requests as if it did not exist' : 'serve it again',
    run: async ([merchantId], env) => {
      const id = needed(merchantId, 'MERCHANT_ID')
      await withInstallation(env, ({ runtime }) =>
        inTransaction(runtime.db, (tx) => setDisabled(tx, id, verb === 'disable', { actor: ACTOR }, momentOf(runtime))),
      )
      print(`${verb}d`)
    },
  })),
]

export { needed, withInstallation }
