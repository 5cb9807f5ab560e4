/**
 * The two files that a signer on its own machine and the server exchange. Both are public: a person who reads them can
 * sign nothing and connect to nothing. A person who changes one could take the place of the signer or of a client, so
 * both machines show its fingerprint.
 */
import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Type, { type Static } from 'typebox'
import { WALLET_SHAPE } from '../../../chain/transactions/index.ts'
import { byName, text } from '../../../platform/config/fields.ts'
import { readSignerPlace } from '../../../platform/config/setting.ts'
import { readShape, ShapeError, withRule } from '../../../platform/config/shape.ts'
import type { Output } from '../output.ts'
import { CLIENTS, type Client } from './certificates.ts'

const authority = (description: string) =>
  Type.Refine(text(description, { says: 'a certificate of an authority in PEM' }), (pem) => {
    try {
      return new X509Certificate(pem).ca
    } catch {
      return false
    }
  })

const FOR_SERVER = Type.Object({
  address: Type.Refine(text('where the signer is reached', { says: 'HOST:PORT' }), (written) => {
    try {
      return !('socketPath' in readSignerPlace(`https://${written}`))
    } catch {
      return false
    }
  }),
  ca: authority("the authority of the signer's certificate"),
  keys: WALLET_SHAPE,
})

/** What the server gets from the signer: where it is, its authority, and the extended public keys. */
export type ForServer = Static<typeof FOR_SERVER>

const FOR_SIGNER = withRule(
  Type.Object({
    ca: authority('the authority of the clients'),
    clients: byName(
      CLIENTS,
      text('SHA-256 of a certificate', { pattern: '^([0-9A-F]{2}:){31}[0-9A-F]{2}$', says: 'a fingerprint' }),
    ),
  }),
  ({ clients }, note) => {
    for (const client of CLIENTS) if (clients[client] === undefined) note('write its fingerprint', 'clients', client)
  },
)

/** What the signer gets from the server: the authority of its clients, and the certificate of each. */
export interface ForSigner {
  ca: string
  clients: Record<Client, string>
}

/** A file of the other machine. */
export interface Handed<Content> {
  file: string
  content: Content
  /** of the bytes of which `content` was read: another user of the machine may replace the file meanwhile */
  sha256: string
}

/** @throws Error that says what is wrong with the file */
export const readForServer = (path: string): Handed<ForServer> => readWith(path, FOR_SERVER)

/** @throws Error that says what is wrong with the file */
export const readForSigner = (path: string): Handed<ForSigner> => readWith(path, FOR_SIGNER) as Handed<ForSigner>

const readWith = <Shape extends typeof FOR_SERVER | typeof FOR_SIGNER>(
  path: string,
  shape: Shape,
): Handed<Static<Shape>> => {
  try {
    const bytes = readFileSync(path)
    return { file: path, content: readShape(shape, JSON.parse(bytes.toString('utf8'))), sha256: sha256Of(bytes) }
  } catch (error) {
    const { message } = error as Error
    throw new Error(error instanceof ShapeError ? `${path}: ${message}` : `${path} can't be read: ${message}`, {
      cause: error,
    })
  }
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Shows the SHA-256 of a file that was made for the other machine: two people compare them. */
export const showFile = (file: string, out: Output): void =>
  showHanded({ file, sha256: sha256Of(readFileSync(file)) }, out)

/** Shows the SHA-256 of a file of the other machine, in groups of four digits: that of the bytes that were read. */
export const showHanded = ({ file, sha256 }: Pick<Handed<unknown>, 'file' | 'sha256'>, out: Output): void => {
  out.add('files', { file, sha256 }, `SHA-256 of ${file}: ${sha256.match(/.{4}/g)!.join(' ')}`)
}
