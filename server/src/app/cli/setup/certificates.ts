/** Certificates of the signer and of its two clients, made by openssl. */
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Ten years: a certificate that ends stops every payment. */
const DAYS = '3650'

export interface Certificates {
  /** PEM; its key exists no more */
  ca: string
  signer: Pair
  worker: Pair
  operator: Pair
  /** the list of clients, for `--tls-clients` */
  clients: string
}

interface Pair {
  cert: string
  key: string
}

/**
 * Makes an authority, and certificates of the signer, the worker and the operator. The authority's key is deleted, so
 * that no further client can be made.
 * @param host where the signer listens: an address or a name
 * @throws Error if openssl 3 is not installed
 */
export const makeCertificates = (host: string): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-setup-'))
  try {
    writeFileSync(join(folder, 'openssl.cnf'), '[req]\ndistinguished_name=name\n[name]\n')
    issue(folder, 'ca', ['basicConstraints=critical,CA:true', 'keyUsage=critical,keyCertSign,cRLSign'])
    const name = isIP(host) === 0 ? `DNS:${host}` : `IP:${host}`
    const leaf = (one: string, alternative: string, usage: string): Pair =>
      issue(
        folder,
        one,
        [
          'basicConstraints=critical,CA:false',
          'keyUsage=critical,digitalSignature',
          `extendedKeyUsage=${usage}`,
          `subjectAltName=${alternative}`,
        ],
        ['-CA', 'ca.pem', '-CAkey', 'ca.key'],
      )
    const signer = leaf('signer', name, 'serverAuth')
    const worker = leaf('worker', 'DNS:worker.bursar', 'clientAuth')
    const operator = leaf('operator', 'DNS:operator.bursar', 'clientAuth')
    const line = (one: string, { cert }: Pair): string =>
      `sha256:${new X509Certificate(cert).fingerprint256}  # ${one}\n`
    return {
      ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
      signer,
      worker,
      operator,
      clients: line('worker', worker) + line("operators' commands", operator),
    }
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
