/** The lines of a log as a caller of the signer reads and checks them. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { evmRequest, intentOf, makeSigner, temporaryDirectory, uuid } from '../../../test/world/signer.ts'
import { LOG_START, LogLinesBroken, readLogLines, SignerClient } from '../client.ts'
import { createHttpServer } from '../server/http-server.ts'
import { listen } from '../server/endpoint.ts'

const setUp = async (segmentBytes: number) => {
  const made = await makeSigner({ log: { segmentBytes } })
  for (const number of [1, 2, 3]) await made.signer.sign(evmRequest(intentOf(number), { nonce: BigInt(number) }))
  const { server } = createHttpServer(made.signer, { refused: () => undefined, failed: () => undefined })
  const client = new SignerClient({
    socketPath: await listen(server, { socketPath: join(temporaryDirectory(), 'socket') }),
  })
  onTestFinished(() => {
    client.close()
    server.close()
  })
  return { made, client }
}

test.each([
  ['one file', 1 << 20],
  ['a file for each line', 1],
])('the lines of a log of %s are its files, byte for byte, and name the signed payments', async (_, segmentBytes) => {
  const { made, client } = await setUp(segmentBytes)
  const texts = await client.logLines(0)
  const folder = dirname(made.logFile)
  const current = basename(made.logFile)
  const closed = readdirSync(folder).filter((name) => /\.\d{12}$/.test(name))
  const files = [...closed.toSorted(), current].map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(texts.map((text) => `${text}\n`).join('')).toBe(files.join(''))
  const { lines, end } = readLogLines(texts, LOG_START)
  expect(end).toEqual((await client.status()).log)
  const signed = lines.flatMap((line) => line.signed ?? [])
  expect(signed).toEqual((await Promise.all([1, 2, 3].map((number) => client.transactionsOf(uuid(number))))).flat())
  const tail = await client.logLines(lines.length - 1)
  expect(tail).toEqual([texts.at(-1)])
  expect(await client.logLines(lines.length)).toEqual([])
})

test('lines that are altered, left out or of another log are refused', async () => {
  const { client } = await setUp(1 << 20)
  const texts = await client.logLines(0)
  expect(() => readLogLines(texts.toSpliced(1, 1), LOG_START)).toThrow(LogLinesBroken)
  expect(() => readLogLines([...texts, '{'], LOG_START)).toThrow(LogLinesBroken)
  expect(() => readLogLines(texts.slice(1), { length: 1, head: 'f'.repeat(64) })).toThrow(LogLinesBroken)
  expect(() =>
    readLogLines([texts[0]!, texts[1]!.replace('1000000', '1000001'), ...texts.slice(2)], LOG_START),
  ).toThrow(LogLinesBroken)
})
