import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SignerUnavailable } from './client.ts'
import { PASSPHRASE, clientOf, makeFiles, run, serve, written } from './test-process.ts'
import { bitcoinIntent, bitcoinRequest, evmRequest, hotKey, intentOf } from './test-world.ts'

const CRASHING = new URL('test-crash-main.ts', import.meta.url).pathname

test.each([
  ['an EVM payment', evmRequest(intentOf(1)), evmRequest(intentOf(1), { nonce: 1n })],
  [
    'a Bitcoin payout',
    bitcoinRequest({ intents: [bitcoinIntent(1)], inputs: [{ number: 0, units: 200_000n, key: hotKey }] }),
    bitcoinRequest({ intents: [bitcoinIntent(1)], inputs: [{ number: 1, units: 200_000n, key: hotKey }] }),
  ],
])(
  'killed between disk and answer, %s is answered with the same bytes afterwards, and with no others',
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
