import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isLong } from '../../../test/setup/cases.ts'
import { SignerUnavailable } from '../client.ts'
import { PASSPHRASE, clientOf, makeFiles, run, serve, written } from '../../../test/world/signer-process.ts'
import { bitcoinIntent, bitcoinRequest, evmRequest, hotKey, intentOf } from '../../../test/world/signer.ts'

const CRASHING = new URL('test-crash-main.ts', import.meta.url).pathname

test.each([
  ['an EVM payment', evmRequest(intentOf(1)), evmRequest(intentOf(1), { nonce: 1n })],
  [
    'a Bitcoin payout',
    bitcoinRequest({ intents: [bitcoinIntent(1)], inputs: [{ number: 0, units: 200_000n, key: hotKey }] }),
    bitcoinRequest({ intents: [bitcoinIntent(1)], inputs: [{ number: 1, units: 200_000n, key: hotKey }] }),
  ],
])(
  'audit M-C4: killed between the log and its index, %s is answered with the same bytes afterwards, and with no others',
  async (_name, request, other) => {
    const files = await makeFiles()
    const crashing = run([PASSPHRASE, files.seed, files.policy, files.log, files.socket], CRASHING)
    await written(crashing, /ready/)
    await expect(clientOf(files.socket).sign(request)).rejects.toThrow(SignerUnavailable)
    expect(await crashing.ended).toBe('SIGKILL')

    const onDisk = JSON.parse(readFileSync(files.log, 'utf8').trimEnd().split('\n').at(-1)!) as { answer: object }
    const { client } = await serve(files)
    expect(await client.sign(other)).toMatchObject({ refused: 'intent-already-signed' })
    expect(await client.sign(request)).toEqual(onDisk.answer)
    expect((await client.status()).log.length).toBe(2)
  },
)

test.runIf(isLong)(
  'audit M-C4: fifty kills at any moment lose no signature and make no second one',
  async () => {
    const files = await makeFiles()
    const hashes = new Map<number, string>()
    const payment = (number: number) =>
      evmRequest(intentOf(number, { units: '1' }), {
        nonce: BigInt(number),
        gas: 50_000n,
        maxFeePerGas: 10n,
        maxPriorityFeePerGas: 0n,
      })
    for (let kill = 0; kill < 50; kill++) {
      const running = await serve(files)
      const asked = Array.from({ length: 20 }, (_, at) => kill * 10 + at)
      const answers = asked.map(async (number) => {
        const answer = await running.client.sign(payment(number)).catch(() => undefined)
        if (answer === undefined || 'refused' in answer) return
        expect(hashes.get(number) ?? answer.hash).toBe(answer.hash)
        hashes.set(number, answer.hash)
      })
      // Each life ends a few answers later than the one before, from before the first one on.
      await Promise.race([Promise.all(answers), ...(kill % 20 === 0 ? [Promise.resolve()] : [answers[kill % 20]])])
      running.child.kill('SIGKILL')
      await Promise.all([running.ended, ...answers])
    }
    const { client } = await serve(files)
    for (const [number, hash] of hashes) {
      expect(await client.transactionsOf(intentOf(number).id)).toMatchObject([{ hash }])
      expect(await client.sign(evmRequest(intentOf(number, { units: '1' }), { nonce: 9_999n }))).toMatchObject({
        refused: 'intent-already-signed',
      })
    }
    expect(hashes.size).toBeGreaterThan(50)
  },
  900_000,
)
