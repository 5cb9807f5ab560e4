import { parseArgs } from 'node:util'
import { scanLog } from '../log-chain.ts'

/**
 * Checks the chain of a log, of a live signer too, and prints its length and head. With `--contains HASH`, a head kept
 * from before, it also checks that the log still holds that line: that nothing was cut off since.
 */
export async function verifyLog(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { log: { type: 'string' }, contains: { type: 'string' } } })
  if (!values.log) throw new Error('Say which log: --log FILE')
  let isContained = false
  const { lines, head, tornBytes } = await scanLog(values.log, ({ previous }) => {
    isContained ||= previous === values.contains
  })
  if (values.contains !== undefined && !isContained && head !== values.contains) {
    throw new Error(`The log does not hold the line ${values.contains}: it was cut off or exchanged`)
  }
  process.stdout.write(`${JSON.stringify({ lines, head, tornBytes })}\n`)
}
