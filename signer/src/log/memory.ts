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

export interface MemoryOptions extends LogOptions {
  /** Fingerprint of the active second seed, hex */
  second?: string | undefined
}

/**
 * Opens or creates a log and its index (`FILE.index`). The index has caught up when this returns, and is closed with
 * the log. Records an active second seed that the log does not know. Throws the errors of `SignatureLog.open`, and
 * LogBroken when the log knows another second seed.
 */
export async function openMemory(logFile: string, header: HeaderEntry, options: MemoryOptions = {}): Promise<Memory> {
  let index: IndexFile | undefined
  let history: History | undefined
  const subscriber = (): History =>
    (history = new History((index = IndexFile.open(`${logFile}.index`, header.masterFingerprint))))
  const { second } = options
  const log = await SignatureLog.open(logFile, header, subscriber, options)
  try {
    judgeFormer(index!, history!)
    const known = history!.secondSeed
    if (known !== undefined && known !== second)
      throw new LogBroken(
        `This log belongs to the second seed ${known} too, not ${second ?? 'to one alone'}: use the seed file that has both`,
      )
    if (known === undefined && second !== undefined)
      await log.append({ kind: 'rotated', at: header.at, masterFingerprint: second })
  } catch (error) {
    await log.close()
    throw error
  }
  return { log, history: history! }
}

/** A rebuilt index must know all that the older one knew. Throws LogBroken when the log was cut back meanwhile. */
function judgeFormer(index: IndexFile, history: History): void {
  const { former } = index
  if (!former) return
  if (!history.holds({ length: former.lines, head: former.head }))
    throw new LogBroken(
      `The log does not hold line ${former.lines} of the index before the upgrade: it was cut back, altered or exchanged`,
    )
  index.forgetFormer()
}
