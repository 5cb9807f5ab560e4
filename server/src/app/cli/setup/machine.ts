/** What the steps of setup on the machine of the server share. */
import type { Settled } from './answers.ts'
import type { Client } from './certificates.ts'
import type { ForServer } from './handover.ts'
import type { Files, Owners, Places } from './places.ts'
import type { Steps } from './steps.ts'

export interface Making {
  answers: Settled
  places: Places
  owners: Owners
  files: Files
  /** of a signer on another machine; undefined: the signer is on this machine */
  forServer: ForServer | undefined
  steps: Steps
}

export const PASSWORD_BYTES = 24

/** Settings by which a client connects to the signer. */
export const signerSettings = (client: Client, { answers, files, forServer }: Making): Record<string, string> => ({
  BURSAR_SIGNER: `https://${forServer?.address ?? answers.listen.signer}`,
  BURSAR_SIGNER_CA_FILE: files.signerCa.path,
  BURSAR_SIGNER_CERT_FILE: files.clients[client].cert.path,
  BURSAR_SIGNER_KEY_FILE: files.clients[client].key.path,
})

/** The password in a database URL. @throws Error that names its file */
export const passwordIn = (url: string, path: string): string => {
  const password = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ''
  if (password === '') throw new Error(`${path} has no URL of the database with a password`)
  return password
}
