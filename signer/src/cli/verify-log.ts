import { parseArgs } from 'node:util'
import { oldestOf, scanLog, segmentsOf } from '../log/segments.ts'

/**
 * Checks the hash chain of a log through all segments in its directory, and prints its length and head. The signer may
 * be running. With `--contains HASH`, a head that was noted earlier, it also checks that the log still contains that
 * line, and so that the log was not cut back.
 */
export async function verifyLog(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { log: { type: 'string' }, contains: { type: 'string' } } })
  if (!values.log) throw new Error('Say which log: --log FILE')
  const { isContained, ...found } = await whileSegmentsStay(values.log, () => verify(values.log!, values.contains))
  if (values.contains !== undefined && !isContained) {
    throw new Error(`The log does not hold the line ${values.contains}: it was truncated or replaced`)
  }
  process.stdout.write(`${JSON.stringify(found)}\n`)
}

interface Verified {
  /** Number of the first line that was checked; not 0 when older segments have been moved away */
  from: number
  lines: number
  head: string
  tornBytes: number
  isContained: boolean
}

async function verify(log: string, wanted: string | undefined): Promise<Verified> {
  const oldest = await oldestOf(log)
  let isContained = false
  const { end, tornBytes } = await scanLog(log, oldest, ({ previous }) => {
    isContained ||= previous === wanted
  })
  return { from: oldest.lines, ...end, tornBytes, isContained: isContained || end.head === wanted }
}

/** Reads the files a second time if a running signer closed a segment during the first read. */
async function whileSegmentsStay<Result>(log: string, read: () => Promise<Result>): Promise<Result> {
  const list = async (): Promise<string> => (await segmentsOf(log)).map(({ path }) => path).join()
  const before = await list()
  try {
    return await read()
  } catch (error) {
    if ((await list()) === before) throw error
    return await read()
  }
}
