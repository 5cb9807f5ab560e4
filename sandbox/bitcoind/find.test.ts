import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBitcoind, userCacheDir } from './find.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-find-'))
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Answers `-version` as bitcoind does; enough to be found. */
function fakeBitcoind(folder: string, version: string): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'bitcoind')
  writeFileSync(file, `#!/bin/sh\necho '${version}'\n`)
  chmodSync(file, 0o755)
  return file
}

describe('where bitcoind is looked for', () => {
  test('BITCOIND comes first', async () => {
    const file = fakeBitcoind(join(dir, 'mine'), 'Bitcoin Core daemon version v29.0.0')
    const path = join(dir, 'bin')
    fakeBitcoind(path, 'Bitcoin Core daemon version v28.0.0')
    const found = await findBitcoind({ env: { BITCOIND: file, PATH: path }, cacheDir: dir, mayFetch: false })
    expect(found).toMatchObject({ program: { file, isKnots: false, version: 'Bitcoin Core daemon version v29.0.0' } })
  })

  test('a BITCOIND that does not run is said, and nothing else is tried', async () => {
    const path = join(dir, 'bin')
    fakeBitcoind(path, 'Bitcoin Core daemon version v28.0.0')
    const found = await findBitcoind({ env: { BITCOIND: join(dir, 'nothing'), PATH: path }, cacheDir: dir })
    expect(found).toMatchObject({ missing: expect.stringContaining(`BITCOIND=${join(dir, 'nothing')} does not run`) })
  })

  test('then PATH, and Knots is known by its version', async () => {
    const path = join(dir, 'bin')
    const file = fakeBitcoind(path, 'Bitcoin Knots daemon version v29.1.knots20250903')
    const found = await findBitcoind({ env: { PATH: `/nowhere:${path}` }, cacheDir: dir, mayFetch: false })
    expect(found).toMatchObject({ program: { file, isKnots: true } })
  })

  test('a missing bitcoind is reported with the setting to change', async () => {
    const found = await findBitcoind({ env: { PATH: '' }, cacheDir: dir, mayFetch: false })
    expect(found).toEqual({ missing: `no bitcoind on PATH or in ${dir}; set BITCOIND to one` })
  })

  test('the cache follows XDG_CACHE_HOME, and needs no home to write to', () => {
    expect(userCacheDir({ XDG_CACHE_HOME: dir })).toBe(join(dir, 'bursar'))
    expect(userCacheDir({ HOME: '/dev/null/home' })).toMatch(/bursar-cache-\d+$/)
  })
})
