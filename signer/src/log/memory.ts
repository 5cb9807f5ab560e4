import type { HeaderEntry } from './entry.ts'
import { History } from './history.ts'
import { IndexFile } from './index-file.ts'
import { LogBroken } from './log-chain.ts'
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
  let index: IndexFile | undefined
  let history: History | undefined
  const subscriber = (): History =>
    (history = new History((index = IndexFile.open(`${logFile}.index`, header.masterFingerprint))))
  const log = await SignatureLog.open(logFile, header, subscriber, options)
  try {
    judgeFormer(index!, history!)
  } catch (error) {
    await log.close()
    throw error
  }
  return { log, history: history! }
}

/** A rebuilt index must know what the older one knew. Throws LogBroken when the log was cut back meanwhile. */
function judgeFormer(index: IndexFile, history: History): void {
  const { former } = index
  if (!former) return
  if (!history.holds({ length: former.lines, head: former.head }))
    throw new LogBroken(
      `The log does not hold line ${former.lines} of the index before the upgrade: it was cut back, altered or exchanged`,
    )
  index.forgetFormer()
}
