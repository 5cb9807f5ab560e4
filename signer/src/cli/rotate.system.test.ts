import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_SEED } from '@bursar/chainkit'
import { expect, test } from 'vitest'
import { PASSPHRASE, makeFiles, run, serve, serveArguments, type Files } from '../../../test/world/signer-process.ts'
import {
  JUNK_WORDS,
  SECOND_WORDS,
  keyring,
  policyFile,
  temporaryDirectory,
  twoSeeds,
} from '../../../test/world/signer.ts'

/** `bursar-signer rotate`, as an operator runs it. */

const { BITCOIN, ETHEREUM } = policyFile.networks
const bitcoinOnly = { ...policyFile, networks: { BITCOIN } }
const treasury = twoSeeds.evmAddress({ account: 'hot', index: SECOND_SEED })
const withEthereum = (sweep: object): object => ({
  ...policyFile,
  networks: { BITCOIN, ETHEREUM: { ...ETHEREUM, sweep: { ...ETHEREUM.sweep, ...sweep } } },
})

async function command(
  name: string,
  files: Files,
  ...more: string[]
): Promise<{ code: number | string; output: string }> {
  const secrets = ['--seed', files.seed, '--passphrase-file', files.passphrase, '--chain', 'regtest']
  const running = run([name, ...secrets, ...more])
  const code = await running.ended
  return { code, output: running.output() }
}

function wordsFile(words: string): string {
  const path = join(temporaryDirectory(), 'words')
  writeFileSync(path, words, { mode: 0o600 })
  return path
}

test('a second seed is prepared, then activated; both may be repeated, and the signer uses it when it starts', async () => {
  const files = await makeFiles(withEthereum({ treasury }))
  const shown = async (): Promise<unknown> => JSON.parse((await command('xpubs', files)).output)
  const prepared = await command('rotate', files, '--mnemonic-file', wordsFile(SECOND_WORDS))
  expect(JSON.parse(prepared.output)).toEqual({ seed: files.seed, stage: 'prepared', keys: twoSeeds.publicKeys })
  expect(statSync(files.seed).mode & 0o777).toBe(0o600)
  expect(await shown()).toEqual(keyring.publicKeys)
  expect(await command('rotate', files)).toEqual(prepared)
  const idle = await serve(files)
  expect((await idle.client.status()).keys).toEqual(keyring.publicKeys)
  idle.child.kill('SIGTERM')
  await idle.ended

  const activated = await command('rotate', files, '--activate', '--policy', files.policy)
  expect(JSON.parse(activated.output)).toMatchObject({ stage: 'active', keys: twoSeeds.publicKeys })
  const stored = readFileSync(files.seed, 'utf8')
  expect(await command('rotate', files, '--activate', '--policy', files.policy)).toEqual(activated)
  expect(readFileSync(files.seed, 'utf8')).toBe(stored)
  expect(await shown()).toEqual(twoSeeds.publicKeys)
  expect(await command('rotate', files, '--stolen')).toMatchObject({ code: 1 })
  const { next } = twoSeeds.publicKeys
  const stolen = { ...twoSeeds.publicKeys, next: { ...next, isFirstStolen: true } }
  for (const more of [['--stolen'], []]) {
    const { output } = await command('rotate', files, '--activate', ...more, '--policy', files.policy)
    expect(JSON.parse(output), 'it stays stolen').toMatchObject({ stage: 'stolen', keys: stolen })
  }
  expect(await shown()).toEqual(stolen)
  const { client } = await serve(files)
  const { keys, log } = await client.status()
  expect([keys, log.length]).toEqual([stolen, 2])
  expect(await command('rotate', files)).toMatchObject({ code: 1, output: expect.stringMatching(/two seeds at most/) })
})

test('the words of the second seed are shown only when asked for, before the file has it', async () => {
  const files = await makeFiles(bitcoinOnly)
  const { output } = await command('rotate', files, '--show-mnemonic')
  const { mnemonic } = JSON.parse(output.slice(0, output.indexOf('\n'))) as { mnemonic: string }
  expect(mnemonic.split(' ')).toHaveLength(24)
  const again = await command('rotate', files, '--show-mnemonic')
  expect(again).toMatchObject({ code: 1, output: expect.stringMatching(/prepared already/) })
  expect([again.output, readFileSync(files.seed, 'utf8')].join()).not.toContain(
    mnemonic.split(' ').slice(0, 3).join(' '),
  )
})

test('a file that a crash left beside the seed file is replaced', async () => {
  const files = await makeFiles(bitcoinOnly)
  writeFileSync(`${files.seed}.next`, 'half a fi', { mode: 0o600 })
  expect((await command('rotate', files)).code).toBe(0)
  expect(existsSync(`${files.seed}.next`)).toBe(false)
})

test.each<[string, object, string[][], RegExp]>([
  ['other networks', policyFile, [[], ['--activate']], /serves Bitcoin and EVM chains only, and the policy has TRON/],
  ['a treasury of the first seed', withEthereum({}), [[], ['--activate']], /treasury of sweeps must be/],
  ['nothing prepared', bitcoinOnly, [['--activate']], /has one seed/],
  [
    'the words of the first seed',
    bitcoinOnly,
    [['--mnemonic-file', 'first']],
    /words of the seed that is to be replaced/,
  ],
])('%s: nothing is changed', async (_name, policy, steps, message) => {
  const files = await makeFiles(policy)
  const first = wordsFile(JUNK_WORDS)
  let last = { code: 0 as number | string, output: '' }
  let before = ''
  for (const step of steps) {
    before = readFileSync(files.seed, 'utf8')
    const args = step.map((word) => (word === 'first' ? first : word))
    last = await command('rotate', files, ...args, ...(step.includes('--activate') ? ['--policy', files.policy] : []))
  }
  expect(last).toMatchObject({ code: 1, output: expect.stringMatching(message) })
  expect(readFileSync(files.seed, 'utf8')).toBe(before)
})

test('a signer with two seeds does not start with a policy of other networks, nor without the second seed', async () => {
  const files = await makeFiles(bitcoinOnly)
  const before = readFileSync(files.seed, 'utf8')
  await command('rotate', files)
  await command('rotate', files, '--activate', '--policy', files.policy)
  const once = await serve(files)
  once.child.kill('SIGTERM')
  await once.ended
  const attempt = async (): Promise<string> => {
    const running = run(serveArguments(files))
    expect(await running.ended).toBe(1)
    return running.output()
  }
  writeFileSync(files.policy, JSON.stringify(policyFile))
  expect(await attempt()).toMatch(/serves Bitcoin and EVM chains only/)
  writeFileSync(files.policy, JSON.stringify(bitcoinOnly))
  writeFileSync(files.seed, before)
  const output = await attempt()
  expect(output).toMatch(/belongs to the second seed/)
  expect(output).not.toContain(PASSPHRASE)
})
