/** Certificates of the signer and of its clients, made by openssl. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
 * Makes an authority and the certificate of the signer. The authority's key is given up: nothing else gets a
 * certificate of it.
 * @param host where the signer is reached: an address or a name
 * @throws Error if openssl 3 is not installed
 */
export const makeSignerCertificate = (host: string): Pair & { ca: string } =>
  withAuthority((leaf, ca) => ({
    ca,
    ...leaf('signer', isIP(host) === 0 ? `DNS:${host}` : `IP:${host}`, 'serverAuth'),
  }))

/**
 * Makes an authority and a certificate of each client. The authority's key is given up, so that no further client can
 * be made.
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

/** Calls with a new authority, whose key is only in memory. */
const withAuthority = <T>(work: (leaf: Leaf, ca: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-setup-'))
  try {
    writeFileSync(join(folder, 'openssl.cnf'), '[req]\ndistinguished_name=name\n[name]\n')
    const authority = makeAuthority(folder)
    writeFileSync(join(folder, 'ca.pem'), authority.cert)
    return work((...leaf) => issue(folder, authority.key, ...leaf), authority.cert)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const makeAuthority = (folder: string): Pair => {
  const key = newKey()
  const extensions = ['basicConstraints=critical,CA:true', 'keyUsage=critical,keyCertSign,cRLSign']
  const more = extensions.flatMap((one) => ['-addext', one])
  const cert = openssl(folder, ['req', '-x509', ...requestOf('ca'), '-days', DAYS, ...more], key)
  return { cert, key }
}

const issue = (folder: string, authorityKey: string, ...[name, alternative, usage]: Parameters<Leaf>): Pair => {
  const key = newKey()
  writeFileSync(join(folder, `${name}.csr`), openssl(folder, ['req', '-new', ...requestOf(name)], key))
  const extensions = [
    'basicConstraints=critical,CA:false',
    'keyUsage=critical,digitalSignature',
    `extendedKeyUsage=${usage}`,
    `subjectAltName=${alternative}`,
    'subjectKeyIdentifier=hash',
    'authorityKeyIdentifier=keyid',
  ]
  writeFileSync(join(folder, `${name}.ext`), `${extensions.join('\n')}\n`)
  const signing = ['-CA', 'ca.pem', '-CAkey', '/dev/stdin', '-extfile', `${name}.ext`, '-days', DAYS]
  return { cert: openssl(folder, ['x509', '-req', '-in', `${name}.csr`, ...signing], authorityKey), key }
}

const newKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey

const requestOf = (name: string): string[] => [
  '-config',
  'openssl.cnf',
  '-key',
  '/dev/stdin',
  '-subj',
  `/CN=Bursar ${name}`,
]

/**
 * Runs openssl with a private key as its standard input: a setup that is killed leaves no key in a file. Node gives a
 * child a socket, which can't be opened by the name /dev/stdin; a pipe can, so `cat` makes one.
 * @returns what it printed
 */
const openssl = (folder: string, args: readonly string[], key: string): string => {
  try {
    return execFileSync('sh', ['-c', 'cat | openssl "$@"', 'openssl', ...args], {
      cwd: folder,
      input: key,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? ''
    throw new Error(`openssl made no certificate: ${said || (error as Error).message}. Install openssl 3 or newer`, {
      cause: error,
    })
  }
}
