/** The step of setup for accounts with acquirers: the file, and the files of secrets that it names. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAcquirers } from '../../composition/fiat.ts'
import type { Output } from '../output.ts'
import type { Settled } from './answers.ts'
import { readEnvironmentFile } from './environment-file.ts'
import type { Making } from './machine.ts'
import { exists, json, writeOnce, type NewFile } from './places.ts'

const CARD_KEY_BYTES = 32

/** Whether an account pays to cards: then the api and the worker need the card key. */
export const paysToCards = ({ acquirers }: Settled): boolean =>
  acquirers !== undefined &&
  [...readAcquirers(acquirers).byName.values()].some(({ capabilities }) => Object.keys(capabilities.payout).length > 0)

/** A member of an account that names a file with a secret. */
const isSecret = (member: string): boolean => member.endsWith('File')

/**
 * Copies the secrets of the accounts to the folder of the settings, where the roles can read them, makes the
 * acquirers file with the paths of the copies, and the card key if an account pays to cards.
 */
export const makeAcquirers = async ({ answers, places, owners, files, steps }: Making, out: Output): Promise<void> => {
  const { acquirers } = answers
  if (acquirers === undefined) return
  const copyOf = (account: string, member: string): NewFile => ({
    path: join(places.server, `acquirer-${account}-${member.replace(/File$/, '')}`),
    owner: owners.roles,
    mode: 0o640,
  })
  for (const account of acquirers.accounts)
    for (const [member, path] of Object.entries(account))
      if (isSecret(member) && typeof path === 'string') {
        const copy = copyOf(account.name, member)
        await steps.step(`${copy.path}: a secret of the acquirer ${account.name}`, exists(copy), () =>
          writeOnce(copy, readFileSync(path, 'utf8')),
        )
      }
  const accounts = acquirers.accounts.map((account) =>
    Object.fromEntries(
      Object.entries(account).map(([member, value]) => [
        member,
        isSecret(member) ? copyOf(account.name, member).path : (value as unknown),
      ]),
    ),
  )
  await steps.step(`${files.acquirers.path}: the acquirers file`, exists(files.acquirers), () =>
    writeOnce(files.acquirers, json({ ...acquirers, accounts })),
  )
  const { cardKey, shared } = files
  if (paysToCards(answers))
    await steps.step(`${cardKey.path}: the key of card numbers`, exists(cardKey), () =>
      writeOnce(cardKey, `${randomBytes(CARD_KEY_BYTES).toString('hex')}\n`),
    )
  if (exists(shared) && readEnvironmentFile(shared.path)['BURSAR_ACQUIRERS_FILE'] === undefined)
    out.say(
      `${shared.path} is of a setup without acquirers: add BURSAR_ACQUIRERS_FILE='${files.acquirers.path}'${paysToCards(answers) ? ` and BURSAR_CARD_KEY_FILE='${cardKey.path}'` : ''}, and restart the roles`,
    )
}
