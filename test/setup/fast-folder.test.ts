import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fastFolder } from './fast-folder.ts'

const PLENTY = 'MemTotal:       24684100 kB\nMemAvailable:   21563000 kB\n'
const machine =
  (mounts: string, memory = PLENTY) =>
  (file: string) =>
    file === '/proc/mounts' ? mounts : memory
const ROOT = '/dev/vda / ext4 rw,relatime 0 0\n'

describe.skipIf(!existsSync('/proc/mounts'))('files of tests are in memory', () => {
  test.each([
    ['not where the system has no such folder', ROOT, PLENTY],
    ['not where no program may be run from it', `${ROOT}tmpfs /dev/shm tmpfs rw,nosuid,noexec,relatime 0 0\n`, PLENTY],
    ['not where it is a folder of a disk', `${ROOT}/dev/vdb /dev/shm ext4 rw 0 0\n`, PLENTY],
    ['not where the machine needs its memory', `${ROOT}tmpfs /dev/shm tmpfs rw 0 0\n`, 'MemAvailable:    2097152 kB\n'],
  ])('%s', (_, mounts, memory) => {
    expect(fastFolder(machine(mounts, memory))).toBeUndefined()
  })

  test('not where that can not be found out', () => {
    expect(
      fastFolder(() => {
        throw new Error('EACCES')
      }),
    ).toBeUndefined()
  })

  test('in a folder that is there', () => {
    expect(existsSync(process.env['TMPDIR'] ?? '/tmp')).toBe(true)
  })
})
