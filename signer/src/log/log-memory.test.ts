import { rmSync, writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SignerClient } from '../client.ts'
import type { LogMemory } from '../client.ts'
import { listen } from '../server/endpoint.ts'
import { createHttpServer } from '../server/http-server.ts'
import type { LogEnd } from '../protocol/protocol.ts'
import { evmRequest, intentOf, makeSigner, temporaryDirectory, uuid } from '../../../test/world/signer.ts'
import type { TestSigner } from '../../../test/world/signer.ts'

async function clientOf({ signer }: TestSigner, memory?: LogMemory): Promise<SignerClient> {
  const { server } = createHttpServer(signer, { refused: () => undefined, failed: () => undefined })
  const client = new SignerClient(
    { socketPath: await listen(server, { socketPath: join(temporaryDirectory(), 'socket') }) },
    memory,
  )
  onTestFinished(() => {
    client.close()
    server.close()
  })
  return client
}

function keepEnds(): LogMemory & { stored?: LogEnd } {
  const memory: LogMemory & { stored?: LogEnd } = {
    known: async () => memory.stored,
    keep: async (end) => {
      memory.stored = end
    },
  }
  return memory
}

const payment = (number: number) => evmRequest(intentOf(number), { nonce: BigInt(number) })

/**
 * Signs two payments, then puts the log back as it was after the first, with its index gone: a backup that was
 * restored.
 */
async function cutBack(memory: LogMemory): Promise<TestSigner> {
  const first = await makeSigner()
  const client = await clientOf(first, memory)
  await client.sign(payment(1))
  const backup = readFileSync(first.logFile)
  await client.sign(payment(2))
  await first.log.close()
  writeFileSync(first.logFile, backup)
  rmSync(`${first.logFile}.index`)
  return makeSigner({ logFile: first.logFile })
}

test('audit M-C4: every answer says how far the log goes', async () => {
  const made = await makeSigner()
  const memory = keepEnds()
  const client = await clientOf(made, memory)
  await client.sign(payment(1))
  expect(memory.stored).toEqual({ length: 2, head: made.log.head })
  await client.closeIntent(uuid(9))
  expect(memory.stored).toEqual({ length: 3, head: made.log.head })
})

test('audit M-C4: a log that was cut back signs nothing and is not believed, also when it has grown again', async () => {
  const memory = keepEnds()
  const restored = await cutBack(memory)
  const client = await clientOf(restored, memory)
  const before = memory.stored
  expect(await client.sign(payment(2))).toMatchObject({
    refused: 'log-cut-back',
    message: expect.stringMatching(/does not hold line 3/) as string,
  })
  await expect(client.transactionsOf(uuid(2))).rejects.toThrow(/log-cut-back/)
  await expect(client.closeIntent(uuid(2))).rejects.toThrow(/log-cut-back/)
  const unaware = await clientOf(restored)
  for (const number of [3, 4, 5]) expect(await unaware.sign(payment(number))).toHaveProperty('signed')
  expect(await client.sign(payment(2))).toMatchObject({ refused: 'log-cut-back' })
  expect(memory.stored).toEqual(before)
})

test('a caller that has seen less than there is, or nothing, is served', async () => {
  const made = await makeSigner()
  const memory = keepEnds()
  const client = await clientOf(made, memory)
  await client.sign(payment(1))
  const earlier = memory.stored
  await client.sign(payment(2))
  memory.stored = earlier!
  expect(await client.sign(payment(3))).toHaveProperty('signed')
  expect(memory.stored).toMatchObject({ length: 4 })
})
