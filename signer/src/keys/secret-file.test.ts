import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canReplace, judgeOwner, readSecretFile, readTrustedFile } from './secret-file.ts'
import { temporaryDirectory } from '../../../test/world/signer.ts'

const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0

function fileOf(mode: number, folderMode = 0o700): string {
  const folder = join(temporaryDirectory(), 'folder')
  mkdirSync(folder)
  const path = join(folder, 'file')
  writeFileSync(path, 'content')
  chmodSync(path, mode)
  chmodSync(folder, folderMode)
  return path
}

describe('files that decide about signatures', () => {
  test('are read when only this user may change them, through a link too', async () => {
    const path = fileOf(0o600)
    const link = join(temporaryDirectory(), 'link')
    symlinkSync(path, link)
    for (const each of [path, link]) {
      expect((await readSecretFile(each)).toString()).toBe('content')
      expect(await readTrustedFile(each)).toBe('content')
    }
    expect(await readTrustedFile(fileOf(0o644))).toBe('content')
  })

  test.each([
    ['a secret that the group can read', () => readSecretFile(fileOf(0o640)), /chmod 600/],
    ['a policy that the group can write', () => readTrustedFile(fileOf(0o664)), /chmod go-w/],
    [
      'a policy in a folder that others can write',
      () => readTrustedFile(fileOf(0o644, 0o777)),
      /Others can replace files in .*folder/,
    ],
    ['a secret in a folder that the group can write', () => readSecretFile(fileOf(0o600, 0o770)), /Others can replace/],
    ['a folder', () => readTrustedFile(temporaryDirectory()), /not a file|Others/],
  ])('audit S-9: %s is refused', async (_name, read, message) => {
    await expect(read()).rejects.toThrow(message)
  })

  test('audit S-9: a link in a folder that others can write is refused, wherever it leads', async () => {
    const target = fileOf(0o600)
    const folder = temporaryDirectory()
    symlinkSync(target, join(folder, 'link'))
    chmodSync(folder, 0o777)
    await expect(readTrustedFile(join(folder, 'link'))).rejects.toThrow(/Others can replace/)
  })

  test.runIf(isRoot)("audit S-9: another user's file or folder is refused", async () => {
    const path = fileOf(0o600)
    chownSync(path, NOBODY, NOBODY)
    await expect(readSecretFile(path)).rejects.toThrow(/belongs to the user 65534: run chown 0/)
    const other = fileOf(0o644)
    chownSync(join(other, '..'), NOBODY, NOBODY)
    await expect(readTrustedFile(other)).rejects.toThrow(/belongs to the user 65534/)
  })

  test('audit S-9: this user or root must own them; a directory may be open to others when it is sticky', () => {
    expect(() => judgeOwner('/x', { uid: NOBODY, mode: 0 }, 1_000)).toThrow(/belongs to the user 65534: run chown 1000/)
    expect(() => judgeOwner('/x', { uid: 0, mode: 0 }, 1_000)).not.toThrow()
    expect(() => judgeOwner('/x', { uid: 1_000, mode: 0 }, 1_000)).not.toThrow()
    expect([0o40755, 0o40775, 0o40777, 0o41777].map((mode) => canReplace({ uid: 0, mode }))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})
