import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findChromium } from './find.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-find-chromium-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Answers `--version` as Chromium does; enough to be found. */
const fakeChromium = (folder: string, name: string, says = 'Chromium 150.0.1'): string => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`)
  chmodSync(file, 0o755)
  return file
}

test('CHROMIUM comes first, and one that does not run is said, with nothing else tried', async () => {
  const [mine, path] = [fakeChromium(join(dir, 'mine'), 'chrome'), join(dir, 'bin')]
  fakeChromium(path, 'chromium')
  expect(await findChromium({ env: { CHROMIUM: mine, PATH: path }, cacheDir: dir, mayFetch: false })).toEqual({
    program: mine,
  })
  expect(await findChromium({ env: { CHROMIUM: join(dir, 'gone'), PATH: path }, cacheDir: dir })).toEqual({
    missing: `CHROMIUM=${join(dir, 'gone')} does not run`,
  })
})

test('then PATH, skipping files that only have the name', async () => {
  fakeChromium(join(dir, 'first'), 'chromium', 'a shell script')
  const real = fakeChromium(join(dir, 'second'), 'google-chrome', 'Google Chrome 150.0')
  expect(
    await findChromium({
      env: { PATH: `${join(dir, 'first')}:${join(dir, 'second')}` },
      cacheDir: dir,
      mayFetch: false,
    }),
  ).toEqual({ program: real })
})

test('then an earlier download, which starts with its own libraries and fonts', async () => {
  const folder = join(dir, `chromium-${process.arch}`)
  fakeChromium(join(folder, 'root/usr/lib/chromium'), 'chromium', `Chromium with '"$LD_LIBRARY_PATH $FONTCONFIG_FILE"'`)
  expect(await findChromium({ env: { PATH: '' }, cacheDir: dir, mayFetch: false })).toEqual({
    program: join(folder, 'chromium'),
  })
})

test('a missing browser is reported with the setting to change', async () => {
  const missing = `no Chromium on PATH or in ${dir}; set CHROMIUM to one`
  expect(await findChromium({ env: { PATH: '' }, cacheDir: dir, mayFetch: false })).toEqual({ missing })
})
