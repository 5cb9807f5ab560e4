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
 * Opens or creates a log and its index (`FILE.index`). The index has caught up when this returns, and is closed with
 * the log. Throws the errors of `SignatureLog.open`.
 */
export async function openMemory(logFile: string, header: HeaderEntry, options: LogOptions = {}): Promise<Memory> {
  let history: History | undefined
  const subscriber = (): History =>
    (history = new History(IndexFile.open(`${logFile}.index`, header.masterFingerprint)))
  const log = await SignatureLog.open(logFile, header, subscriber, options)
  return { log, history: history! }
}
