/** The output of commands. Only tests of this module use it. */
import { vi } from 'vitest'

/** The output of a command: on each stream, and on both in the order written. */
export interface Printed {
  out: string
  err: string
  text: string
}

/** Runs a command with both output streams caught. @returns its exit code and what it wrote */
export const captured = async (run: () => Promise<number>): Promise<Printed & { code: number }> => {
  const printed: Printed = { out: '', err: '', text: '' }
  const into = (name: 'out' | 'err') => (chunk: unknown) => {
    printed[name] += String(chunk)
    printed.text += String(chunk)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
  ]
  try {
    return { code: await run(), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
