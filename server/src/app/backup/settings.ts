import { mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hashOfFile, writeSynced } from './folder.ts'
import { runProgram, type Programs } from './programs.ts'

/** Variables of settings files without a secret: they are copied as they are. */
const PLAIN = [
  'BURSAR_ASSETS_FILE',
  'BURSAR_XPUBS_FILE',
  'BURSAR_POLICY_FILE',
  'BURSAR_SIGNER_CA_FILE',
  'BURSAR_SIGNER_CERT_FILE',
  'BURSAR_SMTP_CA_FILE',
] as const
/** Variables of settings files that may have passwords of counterparties: they are copied encrypted. */
const SECRET = [
  'BURSAR_NETWORKS_FILE',
  'BURSAR_ACQUIRERS_FILE',
  'BURSAR_ALERTS_FILE',
  'BURSAR_EXCHANGE_FILE',
  'BURSAR_SCREENING_FILE',
  'BURSAR_SMTP_PASSWORD_FILE',
] as const

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Copies the settings files that the environment names. Files with secrets are encrypted for a certificate (CMS, which
 * `openssl cms -decrypt` reads), or left out without one. Files of keys, and DATABASE_URL, are never copied: a backup
 * with the keys would give all merchants' secrets to a person who gets the backup alone.
 * @param recipient path of the certificate (PEM); its private key is not on this machine
 * @returns the hash of each file, and the variables that were left out
 */
export const copySettings = async (
  programs: Programs,
  env: Environment,
  folder: string,
  recipient: string | undefined,
): Promise<{ settings: Record<string, string>; leftOut: string[] }> => {
  await mkdir(folder, { mode: 0o700 })
  const settings: Record<string, string> = {}
  const leftOut: string[] = []
  const add = async (name: string, contents: Uint8Array): Promise<void> => {
    await writeSynced(join(folder, name), contents)
    settings[name] = await hashOfFile(join(folder, name))
  }
  for (const variable of PLAIN) {
    const path = env[variable]
    if (path) await add(`${variable}-${basename(path)}`, await readFile(path))
  }
  for (const variable of SECRET) {
    const path = env[variable]
    if (!path) continue
    if (recipient === undefined) leftOut.push(variable)
    else await add(`${variable}-${basename(path)}.cms`, await encrypted(programs, await readFile(path), recipient))
  }
  return { settings, leftOut }
}

/** Encrypts with AES-256-GCM and the public key of a certificate. */
const encrypted = (programs: Programs, contents: Uint8Array, recipient: string): Promise<Buffer> =>
  runProgram(
    { ...programs, folder: null },
    'openssl',
    ['cms', '-encrypt', '-binary', '-aes-256-gcm', '-outform', 'DER', '-recip', recipient],
    {
      input: contents,
    },
  )
