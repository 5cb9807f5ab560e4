import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readLines, writeLines } from './archive-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'bursar-lines-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'lines.gz')
const many = Array.from({ length: 50_000 }, (_, i) => `{"n":${i},"body":"${'x'.repeat(i % 300)}"}`)
async function* lines(until = many.length): AsyncGenerator<string> {
  for (const line of many.slice(0, until)) yield line
  if (until < many.length) throw new Error('the database is gone')
}
const read = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const line of readLines(path)) found.push(line)
  return found
}

test('audit M-C5: a file of an archive is whole or has another name, and one that is cut off or damaged is not read as whole', async () => {
  await expect(writeLines(path, lines(1_000))).rejects.toThrow('the database is gone')
  expect(readdirSync(folder)).toEqual([])
  await writeLines(path, lines())
  expect(await read()).toEqual(many)
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.subarray(0, bytes.length - 9))
  await expect(read()).rejects.toThrow()
  const damaged = Buffer.from(bytes)
  damaged[bytes.length >> 1]! ^= 1
  writeFileSync(path, damaged)
  await expect(read()).rejects.toThrow()
})
