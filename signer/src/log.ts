import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HeaderEntry, LogEntry, SignedEntry } from './entry.ts'
import { LogBroken, lineHash, scanLog } from './log-chain.ts'
import type { Chained, Position } from './log-chain.ts'
import { holdLock } from './lock.ts'

/** A line could not be written or put on the disk. Whether it is there is known only by reading the log again. */
export class LogFailed extends Error {
  override name = 'LogFailed'
}

/**
 * What was signed, line by line, each line bound to the one before. A line is on the disk before its answer leaves.
 * After a failed write nothing more is written: what the disk holds is then known only by reading it again.
 */
export class SignatureLog {
  readonly #file: FileHandle
  readonly #lock: { release(): void }
  #bytes: number
  #lines: number
  #head: string
  #failed = false
  #closed = false

  private constructor(
    file: FileHandle,
    lock: { release(): void },
    end: { bytes: number; lines: number; head: string },
  ) {
    this.#file = file
    this.#lock = lock
    this.#bytes = end.bytes
    this.#lines = end.lines
    this.#head = end.head
  }

  /**
   * Opens or creates the log and hands over every signed entry in it. Cuts off a torn last line. Throws LockHeld when
   * another process has it, LogBroken when it was altered or belongs to another seed.
   */
  static async open(
    path: string,
    header: HeaderEntry,
    onSigned: (entry: SignedEntry, position: Position) => void,
  ): Promise<SignatureLog> {
    const lock = holdLock(`${path}.lock`)
    let file: FileHandle | undefined
    try {
      file = await open(path, 'a+', 0o600)
      const scanned = await scanLog(path, (entry, position) => admit(entry, position, header, onSigned))
      if (scanned.tornBytes > 0) {
        await file.truncate(scanned.wholeBytes)
        await file.sync()
      }
      const { wholeBytes: bytes, lines, head } = scanned
      const log = new SignatureLog(file, lock, { bytes, lines, head })
      if (lines === 0) {
        await log.append(header)
        await syncDirectory(dirname(path))
      }
      return log
    } catch (error) {
      await file?.close()
      lock.release()
      throw error
    }
  }

  get length(): number {
    return this.#lines
  }

  get head(): string {
    return this.#head
  }

  /** Writes one line and returns when it is on the disk. Calls must not overlap. Throws LogFailed. */
  async append(entry: LogEntry): Promise<Position> {
    if (this.#failed) throw new LogFailed('The log failed before; start the signer again')
    const chained: Chained = { seq: this.#lines, previous: this.#head, ...entry }
    const line = Buffer.from(JSON.stringify(chained))
    this.#failed = true
    try {
      await this.#file.appendFile(Buffer.concat([line, Buffer.from('\n')]))
      await this.#file.datasync()
    } catch (error) {
      throw new LogFailed(`The log could not be written: ${(error as Error).message}`, { cause: error })
    }
    this.#failed = false
    const position = { offset: this.#bytes, length: line.length }
    this.#bytes += line.length + 1
    this.#lines++
    this.#head = lineHash(line)
    return position
  }

  /** The entry at a position this log gave. */
  async read({ offset, length }: Position): Promise<SignedEntry> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, offset)
    if (bytesRead !== length) throw new LogBroken('The log became shorter while in use')
    return JSON.parse(buffer.toString('utf8')) as SignedEntry
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#file.close()
    this.#lock.release()
  }
}

function admit(
  entry: Chained,
  position: Position,
  header: HeaderEntry,
  onSigned: (entry: SignedEntry, position: Position) => void,
): void {
  if (entry.seq > 0 && entry.kind === 'signed') return onSigned(entry, position)
  if (entry.seq > 0 || entry.kind !== 'log' || entry.version !== 1) {
    throw new LogBroken(`Line ${entry.seq + 1} of the log is of an unknown kind`)
  }
  if (entry.masterFingerprint !== header.masterFingerprint) {
    throw new LogBroken(`This log belongs to the seed ${entry.masterFingerprint}, not ${header.masterFingerprint}`)
  }
}

/** A new file is safe only when the directory that names it is on the disk too. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
