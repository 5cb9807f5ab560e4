/** The steps of setup: keys, certificates, policy, settings, environment files and database. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { checksumAddress } from '@bursar/chainkit/evm'
import { evmHotAddress, WALLET_SHAPE, type WalletKeys } from '../../../chain/transactions/index.ts'
import { readListenAddress } from '../../../platform/config/setting.ts'
import { readShape } from '../../../platform/config/shape.ts'
import type { Output } from '../output.ts'
import { databaseName, type Settled } from './answers.ts'
import { makeCertificates } from './certificates.ts'
import {
  LOGINS,
  loginProblem,
  makeDatabase,
  setPassword,
  urlOf,
  type DatabaseState,
  type Login,
} from './database-roles.ts'
import { environmentFile, readEnvironmentFile } from './environment-file.ts'
import { exists, writeOnce, type Files, type NewFile, type Owners, type Places } from './places.ts'
import { signerPolicy } from './signer-policy.ts'
import type { Steps } from './steps.ts'

export interface Making {
  answers: Settled
  places: Places
  owners: Owners
  files: Files
  steps: Steps
}

const PASSPHRASE_BYTES = 24
const PASSWORD_BYTES = 24
const DATA_KEY_BYTES = 32

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * Refuses a state that a new file would make worse: a seed, a passphrase or a data key that is missing while what it
 * protects exists, and a role whose password no file has. @throws Error that says what to do
 */
export const requireWhole = ({ files }: Pick<Making, 'files'>, database: DatabaseState): void => {
  const problems: string[] = []
  const missing = (file: NewFile, why: string): void => {
    if (!exists(file)) problems.push(`${file.path} is missing, and ${why}: put it back from its backup`)
  }
  if (exists(files.wallet)) missing(files.seed, `${files.wallet.path} has its public keys`)
  if (database.isMigrated) {
    missing(files.seed, 'the database is in use')
    missing(files.dataKey, 'the database has secrets that it encrypts')
  }
  if (exists(files.seed)) missing(files.passphrase, `it encrypts ${files.seed.path}`)
  const certificates = Object.values<NewFile>(files.certificates)
  const found = certificates.filter(exists)
  if (found.length > 0 && found.length < certificates.length)
    problems.push(
      `${certificates
        .filter((file) => !exists(file))
        .map(({ path }) => path)
        .join(
          ', ',
        )}: missing, and the other certificates exist. Put them back, or remove ${found.map(({ path }) => path).join(', ')}: then all are made again`,
    )
  for (const login of LOGINS)
    if (database.withPassword.has(login) && !exists(files.roles[login]))
      problems.push(
        `the database role of ${login} has a password, and ${files.roles[login].path} is missing: put it back, choose another database.prefix, or take the password away by "alter role ... password null"`,
      )
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Makes the seed, the certificates and the policy of the signer, and the public keys for the server. */
export const makeSigner = async (
  { answers, places, owners, files, steps }: Making,
  { showsWords }: { showsWords: boolean },
  out: Output,
): Promise<void> => {
  const { passphrase, seed, wallet, certificates, policy, signerEnv } = files
  const signer = (...words: readonly string[]): string =>
    execFileSync(places.signerCommand, words, {
      encoding: 'utf8',
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
      uid: owners.signer.user,
      gid: owners.signer.group,
    })
  const keys = ['--seed', seed.path, '--passphrase-file', passphrase.path]
  await steps.step(`${passphrase.path}: the passphrase of the seed`, exists(passphrase), () =>
    writeOnce(passphrase, `${randomBytes(PASSPHRASE_BYTES).toString('base64url')}\n`),
  )
  await steps.step(`${seed.path}: the encrypted seed`, exists(seed), () => {
    const made = JSON.parse(signer('init', ...keys, ...(showsWords ? ['--show-mnemonic'] : []))) as {
      mnemonic?: string
    }
    if (made.mnemonic !== undefined)
      out.show({ mnemonic: made.mnemonic }, [
        '',
        'Write these words down. They are the backup of the keys, and are shown once:',
        `  ${made.mnemonic}`,
        '',
      ])
  })
  await steps.step(`${wallet.path}: extended public keys`, exists(wallet), () =>
    writeOnce(wallet, signer('xpubs', ...keys, '--chain', answers.chain)),
  )
  const { host } = readListenAddress(answers.listen.signer)
  await steps.step(
    'certificates of the signer, the worker and operators',
    Object.values<NewFile>(certificates).every(exists),
    () => {
      const { ca, signer: own, worker, operator, clients } = makeCertificates(host)
      writeOnce(certificates.signerCa, ca)
      writeOnce(certificates.signerCert, own.cert)
      writeOnce(certificates.signerKey, own.key)
      writeOnce(certificates.clients, clients)
      writeOnce(certificates.ca, ca)
      writeOnce(certificates.workerCert, worker.cert)
      writeOnce(certificates.workerKey, worker.key)
      writeOnce(certificates.operatorCert, operator.cert)
      writeOnce(certificates.operatorKey, operator.key)
    },
  )
  await steps.step(`${policy.path}: the policy of the signer`, exists(policy), () =>
    writeOnce(policy, json(signerPolicy(answers, checksumAddress(evmHotAddress(readWallet(files)))))),
  )
  const { signerCert, signerKey, signerCa, clients } = certificates
  await steps.step(`${signerEnv.path}: where the signer listens`, exists(signerEnv), () =>
    writeOnce(
      signerEnv,
      environmentFile({
        LISTEN: `--listen ${answers.listen.signer} --tls-cert ${signerCert.path} --tls-key ${signerKey.path} --tls-ca ${signerCa.path} --tls-clients ${clients.path}`,
      }),
    ),
  )
}

/** Reads the extended public keys that setup has written. */
export const readWallet = ({ wallet }: Files): WalletKeys =>
  readShape(WALLET_SHAPE, JSON.parse(readFileSync(wallet.path, 'utf8')))

/** Makes the settings files, the data key and the environment file that all roles share. */
export const makeSettings = async ({ answers, files, steps }: Making): Promise<void> => {
  const { networks, assets, dataKey, smtpPassword, shared, wallet } = files
  const { mail } = answers
  await steps.step(`${networks.path}: the networks file`, exists(networks), () =>
    writeOnce(networks, json(answers.networks)),
  )
  await steps.step(`${assets.path}: the assets file`, exists(assets), () => writeOnce(assets, json(answers.assets)))
  await steps.step(`${dataKey.path}: the data key`, exists(dataKey), () =>
    writeOnce(dataKey, `${randomBytes(DATA_KEY_BYTES).toString('hex')}\n`),
  )
  const password = mail?.passwordFile
  if (password !== undefined)
    await steps.step(`${smtpPassword.path}: the password of the mail user`, exists(smtpPassword), () =>
      writeOnce(smtpPassword, readFileSync(password, 'utf8')),
    )
  await steps.step(`${shared.path}: settings of all roles`, exists(shared), () =>
    writeOnce(
      shared,
      environmentFile({
        BURSAR_DATABASE_ROLES: answers.database.prefix,
        BURSAR_DATA_KEY_FILE: dataKey.path,
        BURSAR_NETWORKS_FILE: networks.path,
        BURSAR_ASSETS_FILE: assets.path,
        BURSAR_XPUBS_FILE: wallet.path,
        BURSAR_PUBLIC_URL: answers.publicUrl,
        BURSAR_TRUSTED_PROXIES: answers.proxies,
        BURSAR_SMTP_URL: mail?.url,
        BURSAR_MAIL_FROM: mail?.from,
        BURSAR_SMTP_PASSWORD_FILE: password === undefined ? undefined : smtpPassword.path,
      }),
    ),
  )
}

/**
 * Makes the database, its roles, and the environment file of each. A file is written before its role gets the password
 * in it, so that a setup which was interrupted can be run again.
 */
export const makeLogins = async ({ answers, files, steps }: Making, state: DatabaseState): Promise<void> => {
  const roles = LOGINS.map((login) => `${answers.database.prefix}_${login}`).join(', ')
  const isMade = state.exists && LOGINS.every((login) => state.withPassword.has(login))
  await steps.step(`the database ${databaseName(answers)}, and its roles ${roles}`, isMade, () =>
    makeDatabase(answers, state),
  )
  for (const login of LOGINS) {
    const file = files.roles[login]
    await steps.step(`${file.path}: the database login of ${login}`, exists(file), () =>
      writeOnce(
        file,
        environmentFile({
          DATABASE_URL: urlOf(answers, login, randomBytes(PASSWORD_BYTES).toString('hex')),
          ...settingsOf(login, answers, files),
        }),
      ),
    )
    await steps.step(`the password of the database role of ${login}`, state.withPassword.has(login), () =>
      setPassword(answers, login, passwordIn(file)),
    )
  }
}

const passwordIn = ({ path }: NewFile): string => {
  const url = readEnvironmentFile(path)['DATABASE_URL'] ?? ''
  const password = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ''
  if (password === '') throw new Error(`${path} has no DATABASE_URL with a password`)
  return password
}

/** The settings of one role beside its database login. */
const settingsOf = (login: Login, { listen }: Settled, { certificates }: Files): Record<string, string> => {
  const signerAs = (cert: NewFile, key: NewFile): Record<string, string> => ({
    BURSAR_SIGNER: `https://${listen.signer}`,
    BURSAR_SIGNER_CA_FILE: certificates.ca.path,
    BURSAR_SIGNER_CERT_FILE: cert.path,
    BURSAR_SIGNER_KEY_FILE: key.path,
  })
  if (login === 'api') return { BURSAR_HTTP: listen.api, BURSAR_INNER: listen.apiInner }
  if (login === 'watcher') return { BURSAR_INNER: listen.watcherInner }
  if (login === 'worker')
    return { BURSAR_INNER: listen.workerInner, ...signerAs(certificates.workerCert, certificates.workerKey) }
  if (login === 'operator') return signerAs(certificates.operatorCert, certificates.operatorKey)
  return {}
}

/** Tries the login of each environment file. @throws Error that names every file whose login is refused */
export const requireLogins = async ({ files }: Pick<Making, 'files'>): Promise<void> => {
  const problems: string[] = []
  for (const login of LOGINS) {
    const { path } = files.roles[login]
    const problem = await loginProblem(readEnvironmentFile(path)['DATABASE_URL'] ?? '')
    if (problem !== null) problems.push(`${path}: its DATABASE_URL does not log in: ${problem}`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
}
