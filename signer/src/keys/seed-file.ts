import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { ShapeError, readInteger, readObject, readText } from '../protocol/shape.ts'

/** A kind of secret that is stored in an encrypted file. */
export interface SecretKind {
  /** The member `format` of the file */
  format: 'bursar-seed' | 'bursar-approver-key'
  bytes: number
  /** for messages */
  name: string
  /** Stage of the second seed; absent in a file with one secret */
  stage?: SeedStage
}

/** Whether the second seed is only stored, or in use; `stolen` when it is in use because the first is stolen. */
export type SeedStage = 'prepared' | 'active' | 'stolen'

const STAGES: readonly unknown[] = ['prepared', 'active', 'stolen'] satisfies SeedStage[]

/** The seeds of a file. */
export interface Seeds {
  first: Buffer
  second?: { seed: Buffer; stage: SeedStage }
}

const SEED_BYTES = 64

/** A BIP 39 seed. */
const SEED: SecretKind = { format: 'bursar-seed', bytes: SEED_BYTES, name: 'seed' }

/** Two BIP 39 seeds, one after the other (version 2 of the file). */
const pairOf = (stage: SeedStage): SecretKind => ({ ...SEED, bytes: 2 * SEED_BYTES, stage })

/**
 * An encrypted secret: AES-256-GCM with a key that scrypt derives from the passphrase. All other members of the file
 * are authenticated too, so that no parameter can be changed without the passphrase.
 */
interface Header {
  format: SecretKind['format']
  version: 1 | 2
  stage?: SeedStage
  kdf: { name: 'scrypt'; logN: number; r: number; p: number; salt: string }
  cipher: { name: 'aes-256-gcm'; iv: string }
}

/** One guess of a passphrase costs 128 MiB of memory and some tenths of a second. */
const DEFAULT_COST = { logN: 17, r: 8, p: 1 }
const MAX_LOG_N = 20
const KEY_BYTES = 32
const IV_BYTES = 12
const SALT_BYTES = 32
const TAG_BYTES = 16

class SeedFileError extends Error {
  override name = 'SeedFileError'
}

/** Encrypts a BIP 39 seed of 64 bytes; the seed is not overwritten. `random` supplies salt and IV. */
export function sealSeed(
  seed: Uint8Array,
  passphrase: Uint8Array,
  random: (bytes: number) => Uint8Array = randomBytes,
): Promise<string> {
  return sealSecret(SEED, seed, passphrase, random)
}

/** Encrypts two BIP 39 seeds of 64 bytes each; the seeds are not overwritten. */
export async function sealSeeds(
  first: Uint8Array,
  second: { seed: Uint8Array; stage: SeedStage },
  passphrase: Uint8Array,
): Promise<string> {
  const both = Buffer.concat([first, second.seed])
  try {
    return await sealSecret(pairOf(second.stage), both, passphrase)
  } finally {
    both.fill(0)
  }
}

/**
 * Decrypts the seeds; the caller overwrites them after use. Throws a SeedFileError, which does not distinguish a wrong
 * passphrase from a changed file.
 */
export async function openSeeds(file: string, passphrase: Uint8Array): Promise<Seeds> {
  const stage = stageOf(file)
  if (stage === undefined) return { first: await openSecret(SEED, file, passphrase) }
  const both = await openSecret(pairOf(stage), file, passphrase)
  return { first: both.subarray(0, SEED_BYTES), second: { seed: both.subarray(SEED_BYTES), stage } }
}

/** The stage that a file of version 2 states; undefined for any other file, which is judged when it is opened. */
function stageOf(file: string): SeedStage | undefined {
  try {
    const { stage } = JSON.parse(file) as { stage?: unknown }
    return STAGES.includes(stage) ? (stage as SeedStage) : undefined
  } catch {
    return undefined
  }
}

/** Encrypts a secret; the secret is not overwritten. `random` supplies salt and IV. */
export async function sealSecret(
  kind: SecretKind,
  secret: Uint8Array,
  passphrase: Uint8Array,
  random: (bytes: number) => Uint8Array = randomBytes,
): Promise<string> {
  if (secret.length !== kind.bytes) throw new RangeError(`A ${kind.name} has ${kind.bytes} bytes`)
  const header: Header = {
    format: kind.format,
    ...(kind.stage === undefined ? { version: 1 } : { version: 2, stage: kind.stage }),
    kdf: { name: 'scrypt', ...DEFAULT_COST, salt: hexOf(random(SALT_BYTES)) },
    cipher: { name: 'aes-256-gcm', iv: hexOf(random(IV_BYTES)) },
  }
  const key = await deriveKey(header, passphrase)
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(header.cipher.iv, 'hex'))
  cipher.setAAD(authenticated(header))
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
  key.fill(0)
  return `${JSON.stringify({ ...header, ciphertext: hexOf(ciphertext), tag: hexOf(cipher.getAuthTag()) }, null, 2)}\n`
}

/** Decrypts a secret; the caller overwrites it after use. Throws a SeedFileError, like `openSeed`. */
export async function openSecret(kind: SecretKind, file: string, passphrase: Uint8Array): Promise<Buffer> {
  const { header, ciphertext, tag } = readSecret(kind, file)
  const key = await deriveKey(header, passphrase)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(header.cipher.iv, 'hex'))
    decipher.setAAD(authenticated(header))
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    throw new SeedFileError(`The passphrase is wrong, or the ${kind.name} file was changed`)
  } finally {
    key.fill(0)
  }
}

function readSecret(
  { format, bytes, name, stage }: SecretKind,
  file: string,
): { header: Header; ciphertext: Buffer; tag: Buffer } {
  try {
    const members = [
      'format',
      'version',
      'kdf',
      'cipher',
      'ciphertext',
      'tag',
      ...(stage === undefined ? [] : ['stage']),
    ]
    const version = stage === undefined ? 1 : 2
    const top = readObject(JSON.parse(file), `${name} file`, members)
    readText(top['format'], 'format', new RegExp(`^${format}$`), `"${format}"`)
    readInteger(top['version'], 'version', version, version)
    const kdf = readObject(top['kdf'], 'kdf', ['name', 'logN', 'r', 'p', 'salt'])
    const cipher = readObject(top['cipher'], 'cipher', ['name', 'iv'])
    readText(kdf['name'], 'kdf.name', /^scrypt$/, '"scrypt"')
    readText(cipher['name'], 'cipher.name', /^aes-256-gcm$/, '"aes-256-gcm"')
    const header: Header = {
      format,
      version,
      ...(stage !== undefined && { stage }),
      kdf: {
        name: 'scrypt',
        logN: readInteger(kdf['logN'], 'kdf.logN', 14, MAX_LOG_N),
        r: readInteger(kdf['r'], 'kdf.r', 8, 16),
        p: readInteger(kdf['p'], 'kdf.p', 1, 4),
        salt: readHex(kdf['salt'], 'kdf.salt', SALT_BYTES),
      },
      cipher: { name: 'aes-256-gcm', iv: readHex(cipher['iv'], 'cipher.iv', IV_BYTES) },
    }
    const ciphertext = Buffer.from(readHex(top['ciphertext'], 'ciphertext', bytes), 'hex')
    return { header, ciphertext, tag: Buffer.from(readHex(top['tag'], 'tag', TAG_BYTES), 'hex') }
  } catch (error) {
    if (error instanceof ShapeError) throw new SeedFileError(`This is not a ${name} file: ${error.message}`)
    if (error instanceof SyntaxError) throw new SeedFileError(`This is not a ${name} file: it is not JSON`)
    throw error
  }
}

function readHex(value: unknown, at: string, bytes: number): string {
  return readText(value, at, new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `${bytes} bytes in lower-case hex`)
}

/** The text that is authenticated. It joins the values, so that it does not depend on the layout of the JSON. */
function authenticated({ format, version, stage, kdf, cipher }: Header): Buffer {
  const fields = [format, version, kdf.name, kdf.logN, kdf.r, kdf.p, kdf.salt, cipher.name, cipher.iv]
  return Buffer.from([...fields, ...(stage === undefined ? [] : [stage])].join('\n'))
}

function deriveKey({ kdf: { logN, r, p, salt } }: Header, passphrase: Uint8Array): Promise<Buffer> {
  const N = 2 ** logN
  const options = { N, r, p, maxmem: 128 * N * r + 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    scrypt(passphrase, Buffer.from(salt, 'hex'), KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
