/** The steps of setup: keys, certificates, policy, settings, environment files and database. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { WALLET_SHAPE, type WalletKeys } from '../../../chain/transactions/index.ts'
import { readListenAddress } from '../../../platform/config/setting.ts'
import { readShape } from '../../../platform/config/shape.ts'
import type { Output } from '../output.ts'
import { databaseName } from './answers.ts'
import { paysToCards } from './acquirers-making.ts'
import {
  clientList,
  CLIENTS,
  fingerprintOf,
  makeClientCertificates,
  makeSignerCertificate,
  type Client,
  type Pair,
} from './certificates.ts'
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
import type { ForServer, ForSigner } from './handover.ts'
import { PASSWORD_BYTES, passwordIn, signerSettings, type Making } from './machine.ts'
import { exists, json, problemOfMissing, writeOnce, writeTogether, type Files, type NewFile } from './places.ts'
import { signerPartOf } from './signer-answers.ts'
import { makePolicy, makeSeed, makeSignerEnvironment, problemsOfGroup, publicKeysOf } from './signer-making.ts'

const DATA_KEY_BYTES = 32

/**
 * Refuses a state that a new file would make worse: a seed, a passphrase or a data key that is missing while what it
 * protects exists, certificates of which some are missing, another signer's keys, and a role whose password no file
 * has. @throws Error that says what to do
 */
export const requireWhole = (
  { files, forServer }: Pick<Making, 'files' | 'forServer'>,
  database: DatabaseState,
): void => {
  const { signer } = files
  const problems: string[] = []
  const missing = (file: NewFile, why: string) => void problems.push(...problemOfMissing(file, why))
  if (forServer === undefined) {
    if (exists(files.wallet)) missing(signer.seed, `${files.wallet.path} has its public keys`)
    if (database.isMigrated) missing(signer.seed, 'the database is in use')
    if (exists(signer.seed)) missing(signer.passphrase, `it encrypts ${signer.seed.path}`)
  } else problems.push(...problemsOfOther(files, forServer))
  if (database.isMigrated) missing(files.dataKey, 'the database has secrets that it encrypts')
  const cardKey = exists(files.shared) ? readEnvironmentFile(files.shared.path)['BURSAR_CARD_KEY_FILE'] : undefined
  if (database.isMigrated && cardKey !== undefined)
    missing({ ...files.cardKey, path: cardKey }, 'payouts in the database have card numbers that it encrypts')
  problems.push(...problemsOfGroup(certificatesOf(files, forServer), files.journal))
  for (const login of LOGINS)
    if (database.withPassword.has(login) && !exists(files.roles[login]))
      problems.push(
        `the database role of ${login} has a password, and ${files.roles[login].path} is missing: put it back, choose another database.prefix, or take the password away by "alter role ... password null"`,
      )
  if (database.withPassword.has('backup') && !exists(files.backup.url))
    problems.push(
      `the database role of the backup has a password, and ${files.backup.url.path} is missing: write its URL there, or take the password away by "alter role ... password null"`,
    )
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Sentences about a signer on another machine that is not the one of before. */
const problemsOfOther = ({ signer, wallet, signerCa }: Files, { keys, ca }: ForServer): string[] => {
  const problems: string[] = []
  if (exists(signer.seed))
    problems.push(`${signer.seed.path} exists: this machine has a signer, and the answers name one on another machine`)
  const before = (file: NewFile): string | null => (exists(file) ? readFileSync(file.path, 'utf8') : null)
  const known = before(wallet)
  if (known !== null && readKeys(known).masterFingerprint !== keys.masterFingerprint)
    problems.push(`${wallet.path} has the keys of another seed than the file of the signer: its addresses are in use`)
  const authority = before(signerCa)
  if (authority !== null && authority !== ca)
    problems.push(
      `${signerCa.path} is another authority than that of the signer's file: if the signer has a new certificate, remove ${signerCa.path} and run this again`,
    )
  return problems
}

/**
 * The certificates that are made together on the machine of the server. An installation that an earlier version made
 * has none of the backup, and goes on without it.
 */
const certificatesOf = (files: Files, forServer: ForServer | undefined): NewFile[] => {
  const { clients, clientsCa, signer, signerCa, journal } = files
  const pairOf = (client: Client): NewFile[] => [clients[client].cert, clients[client].key]
  const others =
    forServer === undefined ? [signer.clientsCa, signer.cert, signer.key, signer.clients, signerCa] : [clientsCa]
  const earlier = [...pairOf('worker'), ...pairOf('operator'), ...others]
  if (earlier.every(exists) && !pairOf('backup').some(exists) && !exists(journal)) return earlier
  return [...CLIENTS.flatMap(pairOf), ...others]
}

/** Makes the seed, the certificates and the policy of a signer on this machine, and the public keys for the server. */
export const makeSigner = async (
  { answers, places, owners, files, steps }: Making,
  options: { showsWords: boolean },
  out: Output,
): Promise<void> => {
  const part = signerPartOf(answers)
  const making = { part, command: places.signerCommand, owner: owners.signer, files: files.signer, steps }
  await makeSeed(making, options, out)
  const { wallet, journal } = files
  await steps.step(`${wallet.path}: extended public keys`, exists(wallet), () =>
    writeOnce(wallet, json(publicKeysOf(making))),
  )
  const group = certificatesOf(files, undefined)
  await steps.step('certificates of the signer and its clients', group.every(exists) && !exists(journal), () =>
    writeTogether(journal, group, () => {
      const own = makeSignerCertificate(readListenAddress(part.address).host)
      const { ca, pairs } = makeClientCertificates()
      return [...textsOf(pairs), ca, own.cert, own.key, clientList(fingerprintsOf(pairs)), own.ca]
    }),
  )
  await makePolicy(making, () => readWallet(files))
  await makeSignerEnvironment(making)
}

const textsOf = (pairs: Readonly<Record<Client, Pair>>): string[] =>
  CLIENTS.flatMap((client) => [pairs[client].cert, pairs[client].key])

const fingerprintsOf = (pairs: Readonly<Record<Client, { cert: string }>>): Record<Client, string> => ({
  worker: fingerprintOf(pairs.worker.cert),
  operator: fingerprintOf(pairs.operator.cert),
  backup: fingerprintOf(pairs.backup.cert),
})

/** Takes the public keys and the authority of a signer on another machine, and makes the file of its clients. */
export const takeSigner = async ({ files, steps }: Making, forServer: ForServer): Promise<void> => {
  const { keys, ca } = forServer
  const { wallet, signerCa, clientsCa, clients, forSigner, journal } = files
  await steps.step(`${wallet.path}: extended public keys of the signer`, exists(wallet), () =>
    writeOnce(wallet, json(keys)),
  )
  await steps.step(`${signerCa.path}: the authority of the signer`, exists(signerCa), () => writeOnce(signerCa, ca))
  const group = certificatesOf(files, forServer)
  await steps.step("certificates of the signer's clients", group.every(exists) && !exists(journal), () =>
    writeTogether(journal, group, () => {
      const made = makeClientCertificates()
      return [...textsOf(made.pairs), made.ca]
    }),
  )
  await steps.step(`${forSigner.path}: for the setup of the signer`, exists(forSigner), () => {
    const certOf = (client: Client) => ({ cert: readFileSync(clients[client].cert.path, 'utf8') })
    const content: ForSigner = {
      ca: readFileSync(clientsCa.path, 'utf8'),
      clients: fingerprintsOf({ worker: certOf('worker'), operator: certOf('operator'), backup: certOf('backup') }),
    }
    writeOnce(forSigner, json(content))
  })
}

/** Reads the extended public keys that setup has written. */
export const readWallet = ({ wallet }: Files): WalletKeys => readKeys(readFileSync(wallet.path, 'utf8'))

const readKeys = (text: string): WalletKeys => readShape(WALLET_SHAPE, JSON.parse(text))

/** Makes the settings files, the data key and the environment file that all roles share. */
export const makeSettings = async ({ answers, files, steps }: Making): Promise<void> => {
  const { networks, assets, acquirers, dataKey, smtpPassword, shared, wallet } = files
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
        BURSAR_ACQUIRERS_FILE: answers.acquirers === undefined ? undefined : acquirers.path,
        BURSAR_CARD_KEY_FILE: paysToCards(answers) ? files.cardKey.path : undefined,
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
export const makeLogins = async (making: Making, state: DatabaseState): Promise<void> => {
  const { answers, files, steps } = making
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
          ...settingsOf(login, making),
        }),
      ),
    )
    await steps.step(`the password of the database role of ${login}`, state.withPassword.has(login), () =>
      setPassword(answers, login, passwordIn(readEnvironmentFile(file.path)['DATABASE_URL'] ?? '', file.path)),
    )
  }
}

/** The settings of one role beside its database login. */
const settingsOf = (login: Login, making: Making): Record<string, string> => {
  const { listen } = making.answers
  if (login === 'api') return { BURSAR_HTTP: listen.api, BURSAR_INNER: listen.apiInner }
  if (login === 'watcher') return { BURSAR_INNER: listen.watcherInner }
  if (login === 'worker') return { BURSAR_INNER: listen.workerInner, ...signerSettings('worker', making) }
  if (login === 'operator') return signerSettings('operator', making)
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
  const { path } = files.backup.url
  const problem = exists(files.backup.url) ? await loginProblem(readFileSync(path, 'utf8').trim(), true) : null
  if (problem !== null)
    problems.push(
      `${path}: it does not log in for replication: ${problem}. Allow it in pg_hba.conf ("host replication ROLE ADDRESS scram-sha-256", which Debian has for this machine), and set wal_level to replica`,
    )
  if (problems.length > 0) throw new Error(problems.join('\n'))
}
