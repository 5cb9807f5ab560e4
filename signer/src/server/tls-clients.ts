import type { X509Certificate } from 'node:crypto'

/** A client: the SHA-256 fingerprint of its certificate, or a DNS name in it (subjectAltName). */
export type ClientIdentity = { fingerprint: string } | { dns: string }

const FINGERPRINT = /^sha256:((?:[0-9a-fA-F]{2}:?){31}[0-9a-fA-F]{2})$/
const DNS_NAME = /^dns:([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)$/

/**
 * Parses the list of clients: one identity a line, `sha256:FINGERPRINT` (with or without colons) or `dns:NAME`; `#`
 * begins a comment. Throws an Error that names the faulty line, or that the list is empty.
 */
export function readClients(text: string): ClientIdentity[] {
  const identities = text.split('\n').flatMap((line, at) => {
    const written = line.replace(/#.*$/, '').trim()
    return written === '' ? [] : [readIdentity(written, at + 1)]
  })
  if (identities.length === 0) throw new Error('The list of clients is empty')
  return identities
}

function readIdentity(written: string, line: number): ClientIdentity {
  const [, fingerprint] = FINGERPRINT.exec(written) ?? []
  if (fingerprint !== undefined) return { fingerprint: plain(fingerprint) }
  const [, dns] = DNS_NAME.exec(written) ?? []
  if (dns !== undefined) return { dns }
  throw new Error(`Line ${line} of the list of clients is neither sha256:FINGERPRINT nor dns:NAME`)
}

/** Whether a certificate matches one of the identities. A wildcard in a certificate matches no name. */
export function isAmong(identities: readonly ClientIdentity[], certificate: X509Certificate): boolean {
  return identities.some((identity) =>
    'fingerprint' in identity
      ? plain(certificate.fingerprint256) === identity.fingerprint
      : certificate.checkHost(identity.dns, { subject: 'never', wildcards: false }) !== undefined,
  )
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase()
}
