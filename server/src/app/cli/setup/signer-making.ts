/** The steps of setup on the machine of the signer. */
import { execFileSync } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { checksumAddress } from '@bursar/chainkit/evm'
import { evmHotAddress, WALLET_SHAPE, type WalletKeys } from '../../../chain/transactions/index.ts'
import { readListenAddress } from '../../../platform/config/setting.ts'
import { readShape } from '../../../platform/config/shape.ts'
import type { Output } from '../output.ts'
import { clientList, makeSignerCertificate } from './certificates.ts'
import { environmentFile } from './environment-file.ts'
import type { ForServer, ForSigner } from './handover.ts'
import {
  exists,
  json,
  problemOfMissing,
  readMade,
  writeOnce,
  writeTogether,
  type NewFile,
  type Owners,
  type SignerFiles,
} from './places.ts'
import type { SignerPart } from './signer-answers.ts'
import { signerPolicy } from './signer-policy.ts'
import type { Steps } from './steps.ts'

export interface SignerMaking {
  part: SignerPart
  /** the command of the signer */
  command: string
  owner: Owners['signer']
  files: SignerFiles
  steps: Steps
}

const PASSPHRASE_BYTES = 24

/** Makes the passphrase and the seed. */
export const makeSeed = async (
  making: SignerMaking,
  { showsWords }: { showsWords: boolean },
  out: Output,
): Promise<void> => {
  const { passphrase, seed } = making.files
  await making.steps.step(`${passphrase.path}: the passphrase of the seed`, exists(passphrase), () =>
    writeOnce(passphrase, `${randomBytes(PASSPHRASE_BYTES).toString('base64url')}\n`),
  )
  await making.steps.step(`${seed.path}: the encrypted seed`, exists(seed), () => {
    const made = JSON.parse(runSigner(making, 'init', showsWords ? ['--show-mnemonic'] : [])) as { mnemonic?: string }
    if (made.mnemonic !== undefined)
      out.show({ mnemonic: made.mnemonic }, [
        '',
        'Write these words down. They are the backup of the keys, and are shown once:',
        `  ${made.mnemonic}`,
        '',
      ])
  })
}

/** Runs a command of the signer with its seed, as its user. The passphrase is in a file: an argument is public. */
const runSigner = ({ command, owner, files }: SignerMaking, name: string, more: readonly string[]): string =>
  execFileSync(command, [name, '--seed', files.seed.path, '--passphrase-file', files.passphrase.path, ...more], {
    encoding: 'utf8',
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    uid: owner.user,
    gid: owner.group,
  })

/** The extended public keys, as the signer prints them. */
export const publicKeysOf = (making: SignerMaking): WalletKeys =>
  readShape(WALLET_SHAPE, JSON.parse(runSigner(making, 'xpubs', ['--chain', making.part.chain])))

/** Makes the policy. @param keys returns the extended public keys */
export const makePolicy = async ({ part, files, steps }: SignerMaking, keys: () => WalletKeys): Promise<void> => {
  const { policy } = files
  await steps.step(`${policy.path}: the policy of the signer`, exists(policy), () =>
    writeOnce(policy, json(signerPolicy(part, checksumAddress(evmHotAddress(keys()))))),
  )
}

/** Makes the file that says where the signer listens, and with which certificates. */
export const makeSignerEnvironment = async ({ part, files, steps }: SignerMaking): Promise<void> => {
  const { signerEnv, cert, key, clientsCa, clients } = files
  await steps.step(`${signerEnv.path}: where the signer listens`, exists(signerEnv), () =>
    writeOnce(
      signerEnv,
      environmentFile({
        LISTEN: `--listen ${part.listen} --tls-cert ${cert.path} --tls-key ${key.path} --tls-ca ${clientsCa.path} --tls-clients ${clients.path}`,
      }),
    ),
  )
}

/**
 * Refuses a state of the signer's machine that a new file would make worse. @param log the signer's log @throws Error
 * that says what to do
 */
export const requireWholeSigner = (files: SignerFiles, log: string): void => {
  const problems: string[] = []
  const missing = (file: NewFile, why: string) => void problems.push(...problemOfMissing(file, why))
  if (existsSync(log)) missing(files.seed, `${log} belongs to it`)
  for (const file of [files.policy, files.forServer])
    if (exists(file)) missing(files.seed, `${file.path} was made for it`)
  if (exists(files.seed)) missing(files.passphrase, `it encrypts ${files.seed.path}`)
  problems.push(...problemsOfGroup([files.cert, files.key, files.ownCa], files.journal))
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** A sentence about files that were made together, of which some are missing. A journal completes them. */
export const problemsOfGroup = (files: readonly NewFile[], journal: NewFile): string[] => {
  const found = files.filter(exists)
  if (exists(journal) || found.length === 0 || found.length === files.length) return []
  const pathsOf = (some: readonly NewFile[]): string => some.map(({ path }) => path).join(', ')
  const lost = files.filter((file) => !exists(file))
  return [
    `${pathsOf(lost)}: missing, and the files that were made with it exist. Put it back, or remove ${pathsOf(found)}: then all are made again`,
  ]
}

/** @throws Error if the text is no certificate */
const certificateIn = (text: string): string => {
  void new X509Certificate(text)
  return text
}

/** Makes the certificate of a signer on its own machine, and the file for the server. */
export const makeOwnCertificate = async (making: SignerMaking, keys: () => WalletKeys): Promise<void> => {
  const { part, files, steps } = making
  const { cert, key, ownCa, forServer, journal } = files
  const group = [cert, key, ownCa]
  await steps.step('certificate of the signer', group.every(exists) && !exists(journal), () =>
    writeTogether(journal, group, () => {
      const made = makeSignerCertificate(readListenAddress(part.address).host)
      return [made.cert, made.key, made.ca]
    }),
  )
  await steps.step(`${forServer.path}: for the setup of the server`, exists(forServer), () => {
    const content: ForServer = { address: part.address, ca: certificateIn(readMade(ownCa)), keys: keys() }
    writeOnce(forServer, json(content))
  })
}

/**
 * Lets the clients of the server connect. @throws Error if others are let in already: the person removes their files
 * first
 */
export const letClientsIn = async (
  { files, steps }: SignerMaking,
  { ca, clients: given }: ForSigner,
): Promise<void> => {
  const { clientsCa, clients } = files
  const texts = [ca, clientList(given)]
  const group = [clientsCa, clients]
  const other = group.find((file, at) => exists(file) && readFileSync(file.path, 'utf8') !== texts[at])
  if (other !== undefined)
    throw new Error(
      `${other.path} is of other clients: if the server was set up again, remove ${clientsCa.path} and ${clients.path}, run this again, and reload the signer`,
    )
  for (const [at, file] of group.entries())
    await steps.step(`${file.path}: who may connect`, exists(file), () => writeOnce(file, texts[at]!))
}
