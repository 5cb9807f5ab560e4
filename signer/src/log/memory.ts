import type { HeaderEntry } from './entry.ts'
import { History } from './history.ts'
import { IndexFile } from './index-file.ts'
import { SignatureLog } from './log.ts'
import type { LogOptions } from './log.ts'

export interface Memory {
  log: SignatureLog
  history: History
}

/**
 * Opens or creates a log, and beside it its index (`FILE.index`), which has caught up when this returns. Both are
 * closed with the log. Throws what `SignatureLog.open` throws.
 */
export async function openMemory(logFile: string, header: HeaderEntry, options: LogOptions = {}): Promise<Memory> {
  let history: History | undefined
  const follower = (): History => (history = new History(IndexFile.open(`${logFile}.index`, header.masterFingerprint)))
  const log = await SignatureLog.open(logFile, header, follower, options)
  return { log, history: history! }
}
