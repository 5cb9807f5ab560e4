/** Certificates of the signer and of its clients, made by openssl. */
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Ten years: a certificate that ends stops every payment. */
const DAYS = '3650'

/** What connects to the signer, each with a certificate of its own. */
export const CLIENTS = ['worker', 'operator', 'backup'] as const
export type Client = (typeof CLIENTS)[number]

export interface Pair {
  /** PEM */
  cert: string
  key: string
}

/**
 * Makes an authority and the certificate of the signer. The authority's key is deleted: nothing else gets a certificate
 * of it.
 * @param host where the signer is reached: an address or a name
 * @throws Error if openssl 3 is not installed
 */
export const makeSignerCertificate = (host: string): Pair & { ca: string } =>
  withAuthority((leaf, ca) => ({
    ca,
    ...leaf('signer', isIP(host) === 0 ? `DNS:${host}` : `IP:${host}`, 'serverAuth'),
  }))

/**
 * Makes an authority and a certificate of each client. The authority's key is deleted, so that no further client can be
 * made.
 * @throws Error if openssl 3 is not installed
 */
export const makeClientCertificates = (): { ca: string; pairs: Readonly<Record<Client, Pair>> } =>
  withAuthority((leaf, ca) => {
    const pairOf = (client: Client): Pair => leaf(client, `DNS:${client}.bursar`, 'clientAuth')
    return { ca, pairs: { worker: pairOf('worker'), operator: pairOf('operator'), backup: pairOf('backup') } }
  })

/** The SHA-256 of a certificate, as openssl writes it. @param cert PEM */
export const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256

/** The list of clients for `--tls-clients`. */
export const clientList = (fingerprints: Readonly<Record<Client, string>>): string =>
  CLIENTS.map((client) => `sha256:${fingerprints[client]}  # ${client}\n`).join('')

type Leaf = (name: string, alternative: string, usage: string) => Pair

/** Calls with a new authority, and removes its key at the end. */
const withAuthority = <T>(work: (leaf: Leaf, ca: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-setup-'))
  try {
    writeFileSync(join(folder, 'openssl.cnf'), '[req]\ndistinguished_name=name\n[name]\n')
    const { cert: ca } = issue(folder, 'ca', [
      'basicConstraints=critical,CA:true',
      'keyUsage=critical,keyCertSign,cRLSign',
    ])
    return work(
      (name, alternative, usage) =>
        issue(
          folder,
          name,
          [
            'basicConstraints=critical,CA:false',
            'keyUsage=critical,digitalSignature',
            `extendedKeyUsage=${usage}`,
            `subjectAltName=${alternative}`,
          ],
          ['-CA', 'ca.pem', '-CAkey', 'ca.key'],
        ),
      ca,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const issue = (folder: string, name: string, extensions: readonly string[], signedBy: readonly string[] = []): Pair => {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`]
  const subject = ['-subj', `/CN=Bursar ${name}`, '-days', DAYS]
  const more = extensions.flatMap((one) => ['-addext', one])
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', '-config', 'openssl.cnf', ...curve, ...files, ...subject, ...signedBy, ...more],
      { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim() ?? ''
    throw new Error(`openssl made no certificate: ${said || (error as Error).message}. Install openssl 3 or newer`, {
      cause: error,
    })
  }
  return {
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  }
}
