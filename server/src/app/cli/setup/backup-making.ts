/** The steps of setup for backups: the database role, its login, and the settings of the units. */
import { randomBytes, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Output } from '../output.ts'
import { makeBackupRole, urlOf, type DatabaseState } from './database-roles.ts'
import { environmentFile, readEnvironmentFile } from './environment-file.ts'
import { PASSWORD_BYTES, passwordIn, signerSettings, type Making } from './machine.ts'
import { exists, writeOnce } from './places.ts'

/** Where the package has the folder of backups. */
const FOLDER = '/var/lib/bursar-backup'

/** Reads the certificate that secrets in a backup are encrypted for. @throws Error that names the file */
export const readRecipient = (path: string): string => {
  const pem = readFileSync(path, 'utf8')
  if (pem.includes('PRIVATE KEY'))
    throw new Error(`${path} has a private key: keep it off this machine, and give the certificate alone`)
  try {
    return new X509Certificate(pem).toString()
  } catch (error) {
    throw new Error(`${path} is no certificate in PEM`, { cause: error })
  }
}

/**
 * Makes the login of the backup and its settings. The URL is written before the role gets the password in it, so that a
 * setup which was interrupted can be run again. An installation that an earlier version made has no certificate for the
 * backup: then this makes nothing, and says so.
 */
export const makeBackup = async (making: Making, state: DatabaseState, out: Output): Promise<void> => {
  const { answers, files, steps } = making
  const { url, env, recipient } = files.backup
  const client = files.clients.backup
  if (exists(files.shared) && !exists(client.cert) && exists(files.clients.worker.cert))
    return out.add(
      'steps',
      { name: 'backup', result: 'left out' },
      `left out the settings of the backup: ${client.cert.path} is missing, because an earlier version made the certificates (docs/operating/backup.md)`,
    )
  await steps.step(`${url.path}: the database login of the backup`, exists(url), () =>
    writeOnce(url, `${urlOf(answers, 'backup', randomBytes(PASSWORD_BYTES).toString('hex'))}\n`),
  )
  await steps.step('the database role of the backup, and its password', state.withPassword.has('backup'), () =>
    makeBackupRole(answers, passwordIn(readFileSync(url.path, 'utf8').trim(), url.path)),
  )
  const certificate = answers.backup?.recipient
  if (certificate !== undefined)
    await steps.step(`${recipient.path}: the certificate for secrets in backups`, exists(recipient), () =>
      writeOnce(recipient, readRecipient(certificate)),
    )
  await steps.step(`${env.path}: settings of the backup`, exists(env), () =>
    writeOnce(
      env,
      environmentFile({
        DATABASE_URL: readEnvironmentFile(files.roles.operator.path)['DATABASE_URL'],
        ...signerSettings('backup', making),
        BACKUP_FOLDER: FOLDER,
        BACKUP_OPTIONS: certificate === undefined ? undefined : `--recipient ${recipient.path}`,
      }),
    ),
  )
}
