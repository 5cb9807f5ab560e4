import { argon2, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import type { Secrets } from './now.ts'

/** Argon2id with 19 MiB and two passes: the first choice of OWASP's password storage cheat sheet. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32
/** Each hash takes 19 MiB and a thread of libuv's pool, which has four. */
const LIMITS = { atOnce: 2, waiting: 40 }

const LEAST_LENGTH = 12
const MOST_LENGTH = 200

/** More requests wait for a password's hash than can be answered in time. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

/**
 * Whether a new password may be used: by its length alone, and not equal to the address (NIST SP 800-63B, 3.1.1.2).
 */
export const isUsablePassword = (password: string, email: string): boolean => {
  const length = [...password.normalize('NFKC')].length
  return length >= LEAST_LENGTH && length <= MOST_LENGTH && password.toLowerCase() !== email.toLowerCase()
}

export interface Passwords {
  /** @returns the hash in the PHC string format */
  hash(password: string): Promise<string>
  /** Without a hash it takes as long, and returns false. */
  matches(password: string, hash: string | undefined): Promise<boolean>
}

/** Hashes passwords, two at a time. Throws PasswordsBusy while too many wait. */
export const createPasswords = (random: Secrets['random'], { atOnce, waiting: most } = LIMITS): Passwords => {
  const waiting: (() => void)[] = []
  let running = 0
  const inTurn = async (work: () => Promise<Buffer>): Promise<Buffer> => {
    if (running >= atOnce) {
      if (waiting.length >= most) throw new PasswordsBusy('too many passwords wait')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
  const tagOf = (password: string, nonce: Buffer): Promise<Buffer> =>
    inTurn(() => derive({ ...COST, message: shortened(password), nonce, tagLength: TAG_BYTES }))
  const unknown = phcOf(random(SALT_BYTES), random(TAG_BYTES))
  return {
    hash: async (password) => {
      const salt = random(SALT_BYTES)
      return phcOf(salt, await tagOf(password, salt))
    },
    matches: async (password, hash) => {
      const [salt, tag] = partsOf(hash ?? unknown)
      const isSame = timingSafeEqual(await tagOf(password, salt), tag)
      return isSame && hash !== undefined
    },
  }
}

/** A longer password was never stored, and would take longer. */
const shortened = (password: string): string => password.normalize('NFKC').slice(0, MOST_LENGTH * 2)

const derive = (parameters: Argon2Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => {
      if (error) reject(error)
      else resolve(tag)
    })
  })

const PREFIX = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$`
const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
const phcOf = (salt: Buffer, tag: Buffer): string => `${PREFIX}${text(salt)}$${text(tag)}`

const partsOf = (phc: string): [salt: Buffer, tag: Buffer] => {
  const [salt, tag] = phc.startsWith(PREFIX) ? phc.slice(PREFIX.length).split('$') : []
  if (salt === undefined || tag === undefined) throw new Error('the hash of a password has another form')
  return [Buffer.from(salt, 'base64'), Buffer.from(tag, 'base64')]
}
