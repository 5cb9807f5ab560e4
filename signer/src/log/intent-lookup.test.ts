import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SignerClient } from '../client.ts'
import { listen } from '../server/endpoint.ts'
import { createHttpServer } from '../server/http-server.ts'
import { readPolicy } from '../policy/policy.ts'
import {
  bitcoinIntent,
  bitcoinRequest,
  evmRequest,
  hotKey,
  intentOf,
  makeSigner,
  policyFile,
  temporaryDirectory,
  uuid,
} from '../../../test/world/signer.ts'
import type { TestSigner } from '../../../test/world/signer.ts'

async function clientOf({ signer }: TestSigner): Promise<SignerClient> {
  const { server } = createHttpServer(signer, { refused: () => undefined, failed: () => undefined })
  const client = new SignerClient({
    socketPath: await listen(server, { socketPath: join(temporaryDirectory(), 'socket') }),
  })
  onTestFinished(() => {
    client.close()
    server.close()
  })
  return client
}

const dearer = { maxFeePerGas: 23n * 10n ** 9n }

describe('the transactions signed for an intent', () => {
  test('is passed on whole, first transaction first, also after a start', async () => {
    const first = await makeSigner()
    const [payment, replacement] = [
      await first.signer.sign(evmRequest(intentOf(1))),
      await first.signer.sign(evmRequest(intentOf(1), dearer)),
    ]
    await first.log.close()
    const client = await clientOf(await makeSigner({ logFile: first.logFile }))
    const answered = await client.transactionsOf(uuid(1))
    expect(answered).toMatchObject([payment, replacement])
    expect(answered[0]).toMatchObject({
      network: 'ETHEREUM',
      transactionId: uuid(0xffff),
      purpose: 'payout',
      intents: [intentOf(1)],
      keys: [hotKey],
      at: 1_700_000_000_000,
      conflictKeys: [expect.stringMatching(/^31337:0x[0-9a-fA-F]{40}:0$/) as string],
    })
  })

  test('names the other payments of a transaction, and is the same for each of them', async () => {
    const made = await makeSigner()
    const intents = [bitcoinIntent(1), bitcoinIntent(2)]
    await made.signer.sign(bitcoinRequest({ intents, inputs: [{ number: 0, units: 400_000n, key: hotKey }] }))
    const client = await clientOf(made)
    const answered = await client.transactionsOf(uuid(2))
    expect(answered).toMatchObject([{ network: 'BITCOIN', intents }])
    expect(await client.transactionsOf(uuid(1))).toEqual(answered)
  })

  test('is nothing when nothing was signed, a refused request included', async () => {
    const made = await makeSigner()
    await expect(made.signer.sign(evmRequest(intentOf(1, { units: '9'.repeat(20) })))).rejects.toMatchObject({
      code: expect.any(String) as string,
    })
    expect(await (await clientOf(made)).transactionsOf(uuid(1))).toEqual([])
  })

  test('is answered after the requests that came before', async () => {
    const made = await makeSigner()
    const signing = made.signer.sign(evmRequest(intentOf(1)))
    expect(await made.signer.transactionsOf(uuid(1))).toMatchObject([{ hash: (await signing).hash }])
  })

  test('stays known while the kill switch is on; its bytes are left out', async () => {
    const made = await makeSigner()
    const { hash } = await made.signer.sign(evmRequest(intentOf(1)))
    made.signer.replacePolicy(readPolicy(JSON.stringify({ ...policyFile, enabled: false })))
    const [answered] = await made.signer.transactionsOf(uuid(1))
    expect(answered).toMatchObject({ hash })
    expect(answered).not.toHaveProperty('signed')
  })

  test('is asked about by an id only', async () => {
    const client = await clientOf(await makeSigner())
    await expect(client.transactionsOf('withdrawal-1')).rejects.toThrow('The signer refused (bad-request)')
  })
})
