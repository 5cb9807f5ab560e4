import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SignerUnavailable } from '../client.ts'
import type { SignRequest } from '../protocol/protocol.ts'
import { REFUSALS } from '../protocol/refusal.ts'
import type { RefusalCode } from '../protocol/refusal.ts'
import {
  PASSPHRASE,
  clientOf,
  makeFiles,
  run,
  serve,
  serveArguments,
  written,
} from '../../../test/world/signer-process.ts'
import { sweepRequest } from '../rules/evm/test-sweep.ts'
import { tronIntent, tronRequest } from '../../../test/world/tron-requests.ts'
import {
  JUNK_WORDS,
  STRANGER,
  bitcoinIntent,
  bitcoinRequest,
  evmRequest,
  fillerRequest,
  hotKey,
  intentOf,
  keyring,
  policyFile,
  seed,
  temporaryDirectory,
} from '../../../test/world/signer.ts'

const token = intentOf(1)
const signed = evmRequest(token)
const bitcoinPlan = { intents: [bitcoinIntent(50)], inputs: [{ number: 0, units: 300_000n, key: hotKey }] }

/** One request for each code that a signer with one seed answers, sent in this order after `signed`. */
const REFUSED: Record<Exclude<RefusalCode, 'busy' | 'log-cut-back' | 'rotated'>, SignRequest> = {
  'bad-request': { ...signed, purpose: 'gift' as 'payout' },
  'not-parsable': { ...signed, unsigned: '0x02c0' },
  network: evmRequest(intentOf(2), { chainId: 1n }),
  'unknown-asset': evmRequest(intentOf(2, { asset: 'DAI' })),
  disabled: evmRequest(intentOf(2, { asset: 'USDC' })),
  'key-mismatch': { ...bitcoinRequest(bitcoinPlan), keys: [{ account: 'deposit', branch: 0, index: 0 }] },
  'amount-mismatch': evmRequest(intentOf(2, { asset: 'ETH', units: '5' }), { value: 6n }),
  'destination-mismatch': evmRequest(intentOf(2), { to: STRANGER }),
  'unknown-output': {
    ...bitcoinRequest(bitcoinPlan),
    intents: [{ ...bitcoinIntent(51), to: keyring.bitcoinAddress(hotKey).address }],
  },
  'fee-too-high': bitcoinRequest({ ...bitcoinPlan, fee: 20_001n }),
  expiration: tronRequest(tronIntent(70)),
  limit: evmRequest(intentOf(2, { units: '1000000001' }), { nonce: 5n }),
  velocity: bitcoinRequest({
    intents: Array.from({ length: 4 }, (_, at) => bitcoinIntent(60 + at, 1_000_000n)),
    inputs: [{ number: 0, units: 4_100_000n, key: hotKey }],
  }),
  'needs-approval': evmRequest(intentOf(2, { units: '500000001' }), { nonce: 5n }),
  'intent-changed': evmRequest({ ...token, units: '5' }),
  'intent-already-signed': evmRequest(token, { nonce: 1n }),
  'intent-closed': evmRequest(intentOf(80), { nonce: 9n }),
  'transaction-changed': evmRequest(intentOf(2)),
  authorization: sweepRequest({ accounts: [3], authorize: [[3, 1n]], call: { nonce: 7n } }),
  'nonce-used': evmRequest(intentOf(2), { gas: 99_000n }),
}

describe('the signer as a process', () => {
  test('signs, and refuses by every code there is', async () => {
    const { client } = await serve(await makeFiles())
    expect(await client.isHealthy()).toBe(true)
    const answer = await client.sign(signed)
    expect(answer).toMatchObject({ hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string })
    expect(await client.closeIntent(intentOf(80).id)).toEqual([])
    for (const [code, request] of Object.entries(REFUSED)) {
      expect([code, await client.sign(request)]).toMatchObject([code, { refused: code }])
    }
    // Requests that arrive slowly are signed one after the other: then a larger crowd comes.
    let next = 10
    const crowd = async (count: number) => {
      const first = next
      next += count
      const requests = Array.from({ length: count }, (_, at) =>
        client.sign(fillerRequest({ nonce: BigInt(first + at), maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })),
      )
      return Promise.all(requests)
    }
    const busy = expect.objectContaining({ refused: 'busy' }) as unknown
    let answers = await crowd(100)
    for (
      let count = 200;
      count <= 800 && !answers.some((one) => 'refused' in one && one.refused === 'busy');
      count *= 2
    )
      answers = await crowd(count)
    expect(answers).toContainEqual(busy)
    expect([...Object.keys(REFUSED), 'busy', 'log-cut-back', 'rotated'].toSorted()).toEqual(
      Object.keys(REFUSALS).toSorted(),
    )
    expect(await client.sign(signed)).toEqual(answer)
  })

  test('says which keys, policy and log are live', async () => {
    const files = await makeFiles()
    const { client } = await serve(files)
    await client.sign(signed)
    const status = await client.status()
    expect(status.keys).toEqual(keyring.publicKeys)
    expect(Math.abs(status.time! - Date.now())).toBeLessThan(300_000)
    expect(status.policy).toMatchObject({
      enabled: true,
      approvers: ['alice', 'bob', 'carol'],
      networks: policyFile.networks,
    })
    expect(status.log.length).toBe(2)
    const verify = run(['verify-log', '--log', files.log, '--contains', status.log.head])
    expect(await verify.ended).toBe(0)
    expect(JSON.parse(verify.output())).toEqual({ from: 0, lines: 2, head: status.log.head, tornBytes: 0 })
    const missing = run(['verify-log', '--log', files.log, '--contains', 'ab'.repeat(32)])
    expect(await missing.ended).toBe(1)
  })

  test('after kill -9 it goes on where it was, over the socket it left behind', async () => {
    const files = await makeFiles()
    const first = await serve(files)
    const answer = await first.client.sign(signed)
    first.child.kill('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')
    expect(existsSync(files.socket)).toBe(true)
    await expect(first.client.sign(signed)).rejects.toThrow(SignerUnavailable)
    const { client } = await serve(files)
    expect(await client.sign(signed)).toEqual(answer)
    expect(await client.sign(evmRequest(token, { nonce: 1n }))).toMatchObject({ refused: 'intent-already-signed' })
  })

  test('lets no other user use its socket or its log, and leaves no secret anywhere', async () => {
    const files = await makeFiles()
    const { client, child, ended, output } = await serve(files)
    await client.sign(signed)
    await client.sign(evmRequest(token, { nonce: 1n }))
    expect(statSync(files.socket).mode & 0o777).toBe(0o600)
    expect(statSync(files.log).mode & 0o777).toBe(0o600)
    const second = run(serveArguments({ ...files, socket: `${files.socket}-2` }))
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/Another signer holds/)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(existsSync(files.socket)).toBe(false)
    const said = [
      output(),
      second.output(),
      ...[files.log, files.seed, files.policy].map((file) => readFileSync(file, 'utf8')),
    ].join()
    const hotPrivateKey = keyring.withEvmKey(hotKey, (key) => Buffer.from(key).toString('hex'))
    for (const secret of [seed().toString('hex'), hotPrivateKey, JUNK_WORDS, PASSPHRASE])
      expect(said).not.toContain(secret)
  })

  test('does not take over a socket that a process listens on', async () => {
    const files = await makeFiles()
    await serve(files)
    const second = run(serveArguments({ ...files, log: `${files.log}-2` }))
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/Another process listens/)
  })

  test('SIGHUP switches it off; a policy that does not hold is not taken over', async () => {
    const files = await makeFiles()
    const running = await serve(files)
    const exchange = async (policy: string, said: RegExp): Promise<void> => {
      writeFileSync(files.policy, policy)
      running.child.kill('SIGHUP')
      await written(running, said)
    }
    await exchange('{', /are unchanged/)
    expect(await running.client.sign(signed)).toHaveProperty('signed')
    await exchange(JSON.stringify({ ...policyFile, enabled: false }), /"policy":"/)
    expect(await running.client.sign(signed)).toHaveProperty('signed')
    expect(await running.client.sign(evmRequest(intentOf(2), { nonce: 1n }))).toMatchObject({ refused: 'disabled' })
  })

  test('takes the passphrase from standard input, and ends when that ends', async () => {
    const files = await makeFiles()
    const args = serveArguments(files).filter(
      (argument) => argument !== '--passphrase-file' && argument !== files.passphrase,
    )
    const running = run([...args, '--passphrase-stdin', '--exit-on-stdin-end'])
    running.child.stdin!.write(`${PASSPHRASE}\n`)
    await written(running, /"ready":true/)
    expect(await clientOf(files.socket).isHealthy()).toBe(true)
    running.child.stdin!.end()
    expect(await running.ended).toBe(0)
  })

  test('answers other paths and long requests without harm', async () => {
    const files = await makeFiles()
    const { client } = await serve(files)
    const statusOf = (method: string, path: string, body = ''): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = httpRequest({ socketPath: files.socket, method, path }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.on('error', reject)
        request.end(body)
      })
    expect(await statusOf('GET', '/sign')).toBe(404)
    expect(await statusOf('GET', '/')).toBe(404)
    expect(await statusOf('POST', '/sign', 'x')).toBe(400)
    expect(await statusOf('POST', '/sign', 'x'.repeat(1024 * 1024 + 1))).toBe(400)
    expect(await client.sign(signed)).toHaveProperty('signed')
  })

  test.each([
    [
      'a wrong passphrase',
      async () => {
        const files = await makeFiles()
        writeFileSync(files.passphrase, 'another passphrase')
        return files
      },
      /passphrase is wrong/,
    ],
    [
      'a seed that others can read',
      async () => {
        const files = await makeFiles()
        chmodSync(files.seed, 0o640)
        return files
      },
      /chmod 600/,
    ],
    [
      'a policy that others can change',
      async () => {
        const files = await makeFiles()
        chmodSync(files.policy, 0o666)
        return files
      },
      /chmod go-w/,
    ],
    ['a policy with a slip', () => makeFiles({ ...policyFile, enable: true }), /unknown fields: enable/],
    [
      'a file where the socket should be',
      async () => {
        const files = await makeFiles()
        return { ...files, socket: files.seed }
      },
      /not a socket/,
    ],
  ])('does not start with %s', async (_name, prepare, message) => {
    const running = run(serveArguments(await prepare()))
    expect(await running.ended).toBe(1)
    expect(running.output()).toMatch(message)
  })
})

describe('init and xpubs', () => {
  const file = (directory: string, name: string, content: string): string => {
    const path = join(directory, name)
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }

  test('make a seed of given words, and name its public keys', async () => {
    const directory = temporaryDirectory()
    const passphrase = file(directory, 'pass', PASSPHRASE)
    const words = file(directory, 'words', ` ${JUNK_WORDS.toUpperCase()}\n`)
    const seedFile = join(directory, 'seed')
    const made = run(['init', '--seed', seedFile, '--passphrase-file', passphrase, '--mnemonic-file', words])
    expect(await made.ended).toBe(0)
    expect(made.output()).not.toContain('junk')
    expect(statSync(seedFile).mode & 0o777).toBe(0o600)
    const shown = run(['xpubs', '--seed', seedFile, '--passphrase-file', passphrase, '--chain', 'regtest'])
    expect(await shown.ended).toBe(0)
    expect(JSON.parse(shown.output())).toEqual(keyring.publicKeys)
    const again = run(['init', '--seed', seedFile, '--passphrase-file', passphrase])
    expect(await again.ended).toBe(1)
    expect(again.output()).toMatch(/EEXIST/)
  })

  test('make new words, shown only when asked for', async () => {
    const directory = temporaryDirectory()
    const passphrase = file(directory, 'pass', PASSPHRASE)
    const args = (name: string): string[] => ['init', '--seed', join(directory, name), '--passphrase-file', passphrase]
    const silent = run(args('a'))
    const shown = run([...args('b'), '--show-mnemonic'])
    expect([await silent.ended, await shown.ended]).toEqual([0, 0])
    expect(Object.keys(JSON.parse(silent.output()) as object)).toEqual(['seed', 'masterFingerprint'])
    const { mnemonic } = JSON.parse(shown.output()) as { mnemonic: string }
    expect(mnemonic.split(' ')).toHaveLength(24)
  })

  test.each([
    ['a short passphrase', 'short', JUNK_WORDS, /at least 12/],
    ['words that are no mnemonic', PASSPHRASE, `${JUNK_WORDS} junk`, /BIP 39/],
  ])('refuse %s', async (_name, passphraseText, words, message) => {
    const directory = temporaryDirectory()
    const [passphrase, mnemonic] = [file(directory, 'pass', passphraseText), file(directory, 'words', words)]
    const made = run([
      'init',
      '--seed',
      join(directory, 'seed'),
      '--passphrase-file',
      passphrase,
      '--mnemonic-file',
      mnemonic,
    ])
    expect(await made.ended).toBe(1)
    expect(made.output()).toMatch(message)
    expect(existsSync(join(directory, 'seed'))).toBe(false)
  })

  test('there is no way to give the passphrase in the environment', async () => {
    const files = await makeFiles()
    const without = run(['xpubs', '--seed', files.seed, '--chain', 'regtest'])
    expect(await without.ended).toBe(1)
    expect(without.output()).toMatch(/--passphrase-file FILE or --passphrase-stdin/)
    expect(await run(['unlock']).ended).toBe(2)
  })
})
