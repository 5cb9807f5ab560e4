import { access, mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { LOG_START, readLogLines, type LogEnd, type SignerLog } from '../../adapters/signer/index.ts'
import { syncFolder } from './folder.ts'

/** The names are those of the signer: a copy can be put back as it is. */
const CURRENT = 'signer.log'
const segmentName = (first: number): string => `${CURRENT}.${first.toString().padStart(12, '0')}`

const namesOf = async (folder: string): Promise<string[]> => {
  const names: string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const closed = names.filter((name) => /^signer\.log\.\d{12}$/.test(name)).toSorted()
  return names.includes(CURRENT) ? [...closed, CURRENT] : closed
}

/** A copy of the signer's log is damaged, or the signer's log does not continue it. */
class LogCopyBroken extends Error {
  override name = 'LogCopyBroken'
}

/**
 * Reads a copy of the signer's log and checks its chain. An incomplete last line, which an interrupted copy leaves, is
 * not counted. Throws LogCopyBroken.
 * @param known an end that the copy must contain
 * @returns its end, the number of the first line of the current file, and the bytes of whole lines in it
 */
export const readCopy = async (
  folder: string,
  known?: LogEnd,
): Promise<{ end: LogEnd; currentFirst: number; currentBytes: number }> => {
  let end = LOG_START
  let isFound = known === undefined || known.length === 0
  let current: { currentFirst: number; currentBytes: number } | undefined
  for (const name of await namesOf(folder)) {
    const text = await readFile(join(folder, name), 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole.length < text.length && name !== CURRENT) throw new LogCopyBroken(`${name} ends within a line`)
    if (name === CURRENT) current = { currentFirst: end.length, currentBytes: Buffer.byteLength(whole) }
    for (const line of whole.split('\n').slice(0, -1)) {
      try {
        end = readLogLines([line], end).end
      } catch (error) {
        throw new LogCopyBroken(`${name}: ${(error as Error).message}`, { cause: error })
      }
      isFound ||= end.length === known?.length && end.head === known.head
    }
  }
  if (!isFound) throw new LogCopyBroken(`the copy of the signer's log lacks line ${known!.length}`)
  // A copy that was interrupted between two files has no current file: the next one begins after the closed files.
  return { end, ...(current ?? { currentFirst: end.length, currentBytes: 0 }) }
}

/**
 * Appends the lines that the copy lacks. Each header line begins a file, as in the signer's own log. Throws
 * LogCopyBroken when the signer's log does not continue the copy: one of the two was cut back or exchanged.
 * @returns the end of the log
 */
export const copySignerLog = async (signer: SignerLog, folder: string): Promise<LogEnd> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copied = await readCopy(folder)
  let { end, currentFirst } = copied
  let file = await open(join(folder, CURRENT), 'a', 0o600)
  try {
    await file.truncate(copied.currentBytes)
    for (;;) {
      const texts = await signer.logLines(end.length)
      if (texts.length === 0) break
      const { lines, end: next } = read(texts, end)
      for (const { seq, text, isHeader } of lines) {
        if (isHeader && seq > currentFirst) {
          await file.sync()
          await file.close()
          await close(folder, segmentName(currentFirst))
          file = await open(join(folder, CURRENT), 'ax', 0o600)
          currentFirst = seq
        }
        await file.appendFile(`${text}\n`)
      }
      end = next
    }
    await file.sync()
    await syncFolder(folder)
  } finally {
    await file.close()
  }
  return end
}

/** Gives the current file the name of a closed one, but never that of a file that exists: it has lines of the log. */
const close = async (folder: string, name: string): Promise<void> => {
  const exists = await access(join(folder, name)).then(
    () => true,
    () => false,
  )
  if (exists) throw new LogCopyBroken(`${name} exists already: the copy of the signer's log is damaged`)
  await rename(join(folder, CURRENT), join(folder, name))
  await syncFolder(folder)
}

const read = (texts: readonly string[], end: LogEnd) => {
  try {
    return readLogLines(texts, end)
  } catch (error) {
    throw new LogCopyBroken(`the signer's log does not continue the copy: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
