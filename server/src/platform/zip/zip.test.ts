import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { openZip } from './reading.ts'
import { centralHeader, endOf, readDirectory, readEnd } from './records.ts'
import { zipOf, type FileToZip } from './writing.ts'

const folder = temporaryFolder('zip')
const AT = new Date('2026-11-28T13:45:10Z')

async function* given(files: readonly FileToZip[]): AsyncGenerator<FileToZip> {
  yield* files
}

const write = async (files: readonly FileToZip[]): Promise<string> => {
  const path = join(folder, 'test.zip')
  await writeFile(path, zipOf(given(files), AT))
  return path
}

const readAll = async (path: string): Promise<[name: string, text: string][]> => {
  const zip = await openZip(path)
  try {
    const found: [string, string][] = []
    for (const entry of zip.entries) {
      const parts: Buffer[] = []
      for await (const part of zip.read(entry)) parts.push(part)
      found.push([entry.name, Buffer.concat(parts).toString('utf8')])
    }
    return found
  } finally {
    await zip.close()
  }
}

test('files come back as they were written, in their order', async () => {
  const text = fc.string({ unit: 'binary' })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, fc.array(text)), { maxLength: 6 }), async (files) => {
      const path = await write(files.map(([name, content]) => ({ name, content })))
      expect(await readAll(path)).toEqual(files.map(([name, content]) => [name, content.join('')]))
    }),
    { numRuns: cases(40) },
  )
})

test('more files than the plain format can count are counted in a record of ZIP64', () => {
  const entries = Array.from({ length: 65_600 }, (_, i) => ({ name: `f${i}`, crc: i, packed: 2, size: 0, offset: i }))
  const directory = Buffer.concat(entries.map((entry) => centralHeader(entry, AT)))
  expect(readDirectory(directory)).toEqual(entries)
  const end = { entries: entries.length, bytes: directory.length, offset: 100 }
  expect(readEnd(endOf(end))).toEqual(end)
})

test('offsets and lengths beyond 4 GiB are in records of ZIP64', () => {
  const far = { name: 'far.csv', crc: 1, packed: 2, size: 3, offset: 5 * 2 ** 32 + 7 }
  const near = { ...far, name: 'near.csv', offset: 2 ** 32 - 2 }
  expect(readDirectory(Buffer.concat([centralHeader(far, AT), centralHeader(near, AT)]))).toEqual([far, near])
  const directory = { entries: 2, bytes: 140, offset: 5 * 2 ** 32 + 100 }
  expect(readEnd(endOf(directory))).toEqual(directory)
  expect(readEnd(endOf({ ...directory, offset: 100 }))).toEqual({ ...directory, offset: 100 })
})

test('a byte that was changed, and a file that was cut, is noticed', async () => {
  const path = await write([{ name: 'a.txt', content: ['some text that is long enough to be compressed well'] }])
  const whole = await readFile(path)
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 0xff
    await writeFile(path, changed)
    const read = await readAll(path).catch(() => undefined)
    // Some bytes have no meaning for a reader, such as those of the time.
    if (read !== undefined)
      expect(read.map(([, text]) => text)).toEqual(['some text that is long enough to be compressed well'])
  }
  await writeFile(path, whole.subarray(0, -1))
  await expect(readAll(path)).rejects.toThrow('no end of a ZIP file')
})

test('a receiver that stops ends the reading of the text', async () => {
  let hasEnded = false
  async function* content(): AsyncGenerator<string> {
    try {
      for (let i = 0; ; i += 1) yield `line ${i} ${Math.sin(i)}\n`
    } finally {
      hasEnded = true
    }
  }
  let bytes = 0
  for await (const piece of zipOf(given([{ name: 'endless', content: content() }]), AT)) {
    bytes += piece.length
    if (bytes > 100_000) break
  }
  await expect.poll(() => hasEnded).toBe(true)
})

test('a text that fails makes the ZIP file fail', async () => {
  async function* content(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('the database is gone')
  }
  const read = async (): Promise<void> => {
    for await (const _ of zipOf(given([{ name: 'a', content: content() }]), AT));
  }
  await expect(read()).rejects.toThrow('the database is gone')
})
