import { randomBytes } from 'node:crypto'
import { SCOPES, type Scope } from '@bursar/contract'
import { listAdditionalKeys, listKeys } from '../../merchants/accounts/index.ts'
import { createKeyAsOperator, KeyProblem, nowOf, type KeyTrouble } from '../../people/access/index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { withInstallation } from '../installation/open.ts'
import { actor } from './recording.ts'
import { command, neededText, text, UsageError, type Command } from './command.ts'

const TROUBLES: Record<KeyTrouble, string> = {
  name: 'a name has 1 to 60 characters',
  scopes: `--scopes is one or more of ${SCOPES.join(', ')}`,
  addresses: '--addresses are IP addresses or CIDR ranges without bits beyond the prefix, at most 20',
  known: 'this key was made before',
  'too-many': 'the merchant has 20 valid additional keys: revoke one first',
  limited: 'too many keys were made within an hour',
  unknown: 'the merchant has no such valid additional key: `bursar merchant keys` lists them',
}

const explained = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof KeyProblem)) throw error
    throw new RangeError(error.troubles.map((trouble) => TROUBLES[trouble]).join('; '), { cause: error })
  }
}

const readScopes = (typed: string): Scope[] => {
  const words = typed.split(',').map((word) => word.trim())
  const scopes = SCOPES.filter((scope) => words.includes(scope))
  if (scopes.length !== new Set(words).size) throw new UsageError(TROUBLES.scopes)
  return scopes
}

const readDays = (typed: string | undefined): number | null => {
  if (typed === undefined) return null
  if (!/^[1-9]\d{0,3}$/.test(typed)) throw new UsageError('--days is a whole number from 1 to 9999')
  return Number(typed)
}

export const keyCommands: readonly Command[] = [
  command({
    name: 'merchant keys',
    summary: 'list the main keys and the additional keys of a merchant, without their secrets',
    args: ['MERCHANT_ID'],
    run: async ({ args: { MERCHANT_ID: id } }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const main = await listKeys(runtime.db, id)
        out.list(
          'main',
          main.map((key) => ({ ...key })),
          { none: 'there is no such merchant' },
        )
        const additional = await listAdditionalKeys(runtime.db, id, nowOf(runtime).real)
        out.list(
          'additional',
          additional.map(({ scopes, addresses, ...key }) => ({
            ...key,
            scopes: scopes.join(','),
            addresses: addresses.join(','),
          })),
          { none: 'the merchant has no additional keys' },
        )
      }),
  }),
  command({
    name: 'merchant add-key',
    summary: 'make an additional key of the API with scopes; its secret is shown once',
    args: ['MERCHANT_ID'],
    options: {
      name: neededText('NAME', 'a name by which you recognise it later'),
      scopes: neededText('SCOPES', `its scopes, separated by commas: ${SCOPES.join(', ')}`),
      addresses: text(
        'ADDRESSES',
        'addresses from which it may be used: IP addresses and CIDR ranges, separated by commas; all when left out',
      ),
      days: text('DAYS', 'number of days after which it ends; it has no end when left out'),
    },
    more: 'Requests name the key in the header `key-id`: see docs/integrating/keys.md. The owners of the merchant are mailed.',
    run: async ({ args: { MERCHANT_ID: merchantId }, options: { name, scopes, addresses = '', days } }, env, out) => {
      const asked = { merchantId, name, scopes: readScopes(scopes), addresses, days: readDays(days) }
      await withInstallation(env, async ({ runtime, config }) => {
        const secrets = { ring: createSecretRing(config.dataKeys), random: randomBytes }
        const made = await explained(
          inTransaction(runtime.db, (tx) => createKeyAsOperator(tx, asked, actor(), secrets, nowOf(runtime))),
        )
        out.show({ keyId: made.id, secret: made.secret })
      })
    },
  }),
]
