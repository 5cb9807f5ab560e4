import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isRecorded } from './entry.ts'
import type { HeaderEntry, LogEntry, SignedEntry } from './entry.ts'
import { LogBroken, lineHash } from './log-chain.ts'
import type { ChainEnd, Chained, Position, ScanResult } from './log-chain.ts'
import { holdLock } from './lock.ts'
import { closeSegment, scanLog, segmentPath, syncDirectory } from './segments.ts'

/** A line could not be written or synchronised. Only reading the log again shows whether it is on the disk. */
export class LogFailed extends Error {
  override name = 'LogFailed'
}

/** Data derived from the log. */
export interface LogSubscriber {
  /** The last line that it has processed. */
  readonly end: ChainEnd
  /** Processes a line that may not be on the disk yet: the next start knows it only after `commit`. */
  apply(entry: Chained, position: Position, head: string): void
  /** Called when every line that it has processed is on the disk. */
  commit(): void
  /** Runs a function that passes many lines to `apply`. */
  catchUp<Result>(run: () => Promise<Result>): Promise<Result>
  close(): void
}

export interface LogOptions {
  /** When the current file has at least this many bytes, it is closed before the next line. */
  segmentBytes?: number
  /** Called when a signature is on the disk, before the subscriber commits it; tests stop the process there. */
  afterSynced?: (signed: SignedEntry) => void
}

const LINE_BREAK = Buffer.from('\n')
const SEGMENT_BYTES = 64 * 1024 * 1024

/** A line that is not on the disk yet. */
interface Pending {
  entry: LogEntry
  /** Without its line break */
  line: Buffer
  /** In bytes, within the current file */
  offset: number
  /** The hash of the line */
  head: string
}

/**
 * The append-only log of signatures. Each line contains the hash of the line before. `add` takes a line, and `sync`
 * writes the lines that were added since, with one synchronisation of the disk for all. The caller sends an answer only
 * after `sync`. After a failed write nothing more is written, because only reading the log again shows the state of the
 * disk.
 */
export class SignatureLog {
  readonly #path: string
  readonly #header: HeaderEntry
  readonly #subscriber: LogSubscriber
  readonly #options: LogOptions
  readonly #lock: { release(): void }
  #file: FileHandle
  /** Number of the first line of the current file */
  #segment: number
  /** Bytes of the current file that are on the disk */
  #bytes: number
  /** The end of the lines that are on the disk */
  #end: ChainEnd
  /** Lines that were added after `#end`, in order */
  #pending: Pending[] = []
  #failed = false
  #closed = false

  private constructor(
    parts: {
      path: string
      header: HeaderEntry
      subscriber: LogSubscriber
      options: LogOptions
      lock: { release(): void }
    },
    file: FileHandle,
    at: { segment: number; bytes: number; end: ChainEnd },
  ) {
    this.#path = parts.path
    this.#header = parts.header
    this.#subscriber = parts.subscriber
    this.#options = parts.options
    this.#lock = parts.lock
    this.#file = file
    this.#segment = at.segment
    this.#bytes = at.bytes
    this.#end = at.end
  }

  /**
   * Opens or creates the log and passes to the subscriber every line that it has not processed. Removes an incomplete
   * last line. Throws LockHeld when another process uses the log, and LogBroken when the log was altered, is shorter
   * than the subscriber's end, or belongs to another seed.
   * @param subscriber opened once the lock is held, and closed with the log
   */
  static async open(
    path: string,
    header: HeaderEntry,
    subscriber: () => LogSubscriber,
    options: LogOptions = {},
  ): Promise<SignatureLog> {
    const lock = holdLock(`${path}.lock`)
    let file: FileHandle | undefined
    let opened: LogSubscriber | undefined
    try {
      file = await open(path, 'a+', 0o600)
      opened = subscriber()
      const { segment, end, wholeBytes: bytes, tornBytes } = await catchUp(path, header, opened)
      if (tornBytes > 0) {
        await file.truncate(bytes)
        await file.sync()
      }
      const log = new SignatureLog({ path, header, subscriber: opened, options, lock }, file, {
        segment,
        bytes,
        end,
      })
      if (bytes === 0) {
        await log.append(header)
        await syncDirectory(dirname(path))
      }
      return log
    } catch (error) {
      await file?.close()
      opened?.close()
      lock.release()
      throw error
    }
  }

  /** Number of lines that are on the disk. */
  get length(): number {
    return this.#end.lines
  }

  /** Hash of the last line that is on the disk. */
  get head(): string {
    return this.#end.head
  }

  /**
   * Adds an entry. Returns when the subscriber has processed it; it is on the disk only after `sync`. Calls of `add`,
   * `sync` and `append` must not overlap. Throws LogFailed.
   */
  add(entry: LogEntry): Promise<void> {
    return this.#orFail(async () => {
      if (this.#pendingEnd >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) await this.#beginSegment()
      this.#take(entry)
    })
  }

  /** Returns when all added entries are on the disk and the subscriber has committed them. Throws LogFailed. */
  sync(): Promise<void> {
    return this.#orFail(() => this.#write())
  }

  /** Adds an entry and returns when it is on the disk. Throws LogFailed. */
  async append(entry: LogEntry): Promise<void> {
    await this.add(entry)
    await this.sync()
  }

  async #orFail(work: () => Promise<void>): Promise<void> {
    if (this.#failed) throw new LogFailed('The log failed before; start the signer again')
    this.#failed = true
    try {
      await work()
    } catch (error) {
      throw new LogFailed(`The log or its index could not be written: ${(error as Error).message}`, { cause: error })
    }
    this.#failed = false
  }

  /** Reads the signed entry at a position that the subscriber got. Throws LogBroken if the segment is unreadable. */
  async read(position: Position): Promise<SignedEntry> {
    return JSON.parse(await this.readText(position)) as SignedEntry
  }

  /** Reads the text of the line at a position that the subscriber got. Throws LogBroken as `read` does. */
  async readText({ segment, offset, length }: Position): Promise<string> {
    if (segment === this.#segment) {
      const pending = this.#pending.find((one) => one.offset === offset)
      return pending ? pending.line.toString('utf8') : readLine(this.#file, offset, length)
    }
    const path = segmentPath(this.#path, segment)
    const file = await open(path, 'r').catch((error: Error) => {
      throw new LogBroken(`An earlier answer lies in ${path}, which can't be read: put it back (${error.message})`)
    })
    try {
      return await readLine(file, offset, length)
    } finally {
      await file.close()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#file.close()
    this.#subscriber.close()
    this.#lock.release()
  }

  /** Bytes of the current file with the lines that are not on the disk yet. */
  get #pendingEnd(): number {
    const last = this.#pending.at(-1)
    return last ? last.offset + last.line.length + 1 : this.#bytes
  }

  /** Hands a line to the subscriber, and stores it until `#write`. */
  #take(entry: LogEntry): void {
    const last = this.#pending.at(-1)
    const seq = this.#end.lines + this.#pending.length
    const chained: Chained = { seq, previous: last?.head ?? this.#end.head, ...entry }
    const line = Buffer.from(JSON.stringify(chained))
    const [head, offset] = [lineHash(line), this.#pendingEnd]
    this.#subscriber.apply(chained, { segment: this.#segment, offset, length: line.length }, head)
    this.#pending.push({ entry, line, offset, head })
  }

  async #write(): Promise<void> {
    const last = this.#pending.at(-1)
    if (!last) return
    await this.#file.appendFile(Buffer.concat(this.#pending.flatMap(({ line }) => [line, LINE_BREAK])))
    await this.#file.datasync()
    for (const { entry } of this.#pending) if (entry.kind === 'signed') this.#options.afterSynced?.(entry)
    this.#subscriber.commit()
    this.#bytes = this.#pendingEnd
    this.#end = { lines: this.#end.lines + this.#pending.length, head: last.head }
    this.#pending = []
  }

  /**
   * Closes the current segment and begins the next. After a crash in between there is no current file; the next start
   * creates it and continues from the last segment's end.
   */
  async #beginSegment(): Promise<void> {
    await this.#write()
    await this.#file.close()
    await closeSegment(this.#path, this.#segment)
    this.#file = await open(this.#path, 'ax+', 0o600)
    this.#segment = this.#end.lines
    this.#bytes = 0
    this.#take(this.#header)
    await this.#write()
    await syncDirectory(dirname(this.#path))
  }
}

/** Passes to the subscriber the lines that it has not processed. */
function catchUp(path: string, header: HeaderEntry, subscriber: LogSubscriber): Promise<ScanResult> {
  return subscriber.catchUp(() =>
    scanLog(path, subscriber.end, (entry, position, head) => {
      admit(entry, position, header)
      subscriber.apply(entry, position, head)
    }),
  )
}

function admit(entry: Chained, { offset }: Position, header: HeaderEntry): void {
  if (offset > 0 && isRecorded(entry.kind)) return
  if (offset > 0 || entry.kind !== 'log' || entry.version !== 1) {
    throw new LogBroken(`Line ${entry.seq + 1} of the log is of an unknown kind`)
  }
  if (entry.masterFingerprint !== header.masterFingerprint) {
    throw new LogBroken(`This log belongs to the seed ${entry.masterFingerprint}, not ${header.masterFingerprint}`)
  }
}

async function readLine(file: FileHandle, offset: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead !== length) throw new LogBroken('The log became shorter while in use')
  return buffer.toString('utf8')
}
