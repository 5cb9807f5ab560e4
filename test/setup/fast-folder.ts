/**
 * Where tests keep their files. PostgreSQL makes some 900 files for each database, and most of what a run costs in the
 * kernel is a disk's bookkeeping of files that are gone a second later: memory has none of it.
 */
import { readFileSync, statfsSync } from 'node:fs'

const FOLDER = '/dev/shm'
const GIGABYTE = 2 ** 30
/** A whole run holds less than one; the machine needs the rest. */
const SPACE = { inFolder: 3 * GIGABYTE, available: 6 * GIGABYTE }

/**
 * The folder of the system for files in memory, if it has enough space, and programs may be run from it.
 * @returns undefined where the usual temporary folder has to do
 */
export const fastFolder = (
  read: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): string | undefined => {
  try {
    const mount = read('/proc/mounts')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === FOLDER)
    const [, , kind, options] = mount?.split(' ') ?? []
    const available = Number(/^MemAvailable: *(\d+) kB$/m.exec(read('/proc/meminfo'))?.[1] ?? 0) * 1024
    const { bavail, bsize } = statfsSync(FOLDER)
    const fits = bavail * bsize >= SPACE.inFolder && available >= SPACE.available
    return fits && kind === 'tmpfs' && !options!.split(',').some((one) => ['noexec', 'ro'].includes(one))
      ? FOLDER
      : undefined
  } catch {
    return undefined
  }
}
