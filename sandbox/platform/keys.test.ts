import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareKeys, readWallet } from './keys.ts'

const signer = new URL('../../signer/src/main.ts', import.meta.url).pathname
let dir: string

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-keys-'))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('keys are made once; a wallet file without the keys of a newer chain is printed anew from the same seed', async () => {
  const keys = await prepareKeys(dir, signer)
  const [seed, wallet] = [readFileSync(keys.seed, 'utf8'), readFileSync(keys.wallet, 'utf8')]
  const { tron: _later, ...older } = readWallet(keys)
  writeFileSync(keys.wallet, JSON.stringify(older))
  expect(await prepareKeys(dir, signer)).toEqual(keys)
  expect(readFileSync(keys.wallet, 'utf8')).toBe(wallet)
  expect(readFileSync(keys.seed, 'utf8')).toBe(seed)
  expect(await prepareKeys(dir, join(dir, 'no such program'))).toEqual(keys)
})
