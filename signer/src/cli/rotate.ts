import { parseArgs } from 'node:util'
import { mnemonicToSeedSync } from '@scure/bip39'
import { isBitcoinChain } from '@bursar/chainkit/bitcoin'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { Keyring } from '../keys/keyring.ts'
import { openPrepared } from '../keys/open-keyring.ts'
import { readSecretFile, readTrustedFile, replaceSecretFile } from '../keys/secret-file.ts'
import { openSeeds, sealSeeds } from '../keys/seed-file.ts'
import type { SeedStage } from '../keys/seed-file.ts'
import { readPolicy } from '../policy/policy.ts'
import { requireRotatable, requireSwitchedOn } from '../rules/rotation.ts'
import { readPassphrase } from './passphrase.ts'
import { wordsOf } from './words.ts'

const OPTIONS = {
  seed: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'passphrase-stdin': { type: 'boolean' },
  chain: { type: 'string' },
  'mnemonic-file': { type: 'string' },
  'show-mnemonic': { type: 'boolean' },
  activate: { type: 'boolean' },
  stolen: { type: 'boolean' },
  policy: { type: 'string' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/**
 * Adds a second seed to the seed file and prints the public keys of both; with `--activate`, makes the second seed the
 * one in use from the signer's next start on; with `--stolen` too, says that another party may have the first. Each may
 * be repeated: a second run changes nothing and prints the same. A crash leaves the old file or the new one. With
 * `--show-mnemonic` the words are printed before the file is changed, so that no seed is stored whose words were never
 * seen.
 */
export async function rotate(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const { seed: path, chain = '' } = values
  if (!path) throw new Error('Say which seed: --seed FILE')
  if (!isBitcoinChain(chain)) throw new Error('Name the chain of Bitcoin: --chain mainnet, testnet or regtest')
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  const file = (await readSecretFile(path)).toString('utf8')
  if (values.stolen && !values.activate) throw new Error('Give --stolen with --activate')
  if (values.activate)
    await activate(path, file, passphrase, { chain, policy: values.policy, isStolen: values.stolen === true })
  else await prepare(path, file, passphrase, values)
  const { keyring, stage } = await openPrepared(path, passphrase, chain)
  process.stdout.write(`${JSON.stringify({ seed: path, stage, keys: keyring.publicKeys }, null, 2)}\n`)
  keyring.close()
}

async function prepare(path: string, file: string, passphrase: Buffer, values: Values): Promise<void> {
  const { first, second } = await openSeeds(file, passphrase)
  if (second && second.stage !== 'prepared')
    throw new Error('The second seed is active already, and an installation has two seeds at most')
  if (second) {
    if (values['mnemonic-file'] !== undefined || values['show-mnemonic'])
      throw new Error('A second seed is prepared already: run this again without its words')
    return
  }
  const words = await wordsOf(values['mnemonic-file'])
  const seed = mnemonicToSeedSync(words)
  if (first.equals(seed)) throw new Error('These are the words of the seed that is to be replaced')
  if (values['show-mnemonic']) process.stdout.write(`${JSON.stringify({ mnemonic: words })}\n`)
  await store(path, passphrase, first, { seed, stage: 'prepared' })
}

async function activate(
  path: string,
  file: string,
  passphrase: Buffer,
  { chain, policy: policyFile, isStolen }: { chain: BitcoinChain; policy: string | undefined; isStolen: boolean },
): Promise<void> {
  if (!policyFile) throw new Error('Give the policy of the signer, whose networks are checked: --policy FILE')
  const policy = readPolicy(await readTrustedFile(policyFile))
  const { first, second } = await openSeeds(file, passphrase)
  if (!second) throw new Error('The file has one seed: run `bursar-signer rotate` without --activate first')
  const keyring = Keyring.open(Buffer.from(first), chain, Buffer.from(second.seed))
  try {
    requireRotatable(keyring, policy)
    requireSwitchedOn(policy)
  } finally {
    keyring.close()
  }
  if (second.stage === 'stolen' || (second.stage === 'active' && !isStolen)) return
  await store(path, passphrase, first, { seed: second.seed, stage: isStolen ? 'stolen' : 'active' })
}

/** Stores both seeds, opens the stored file again before it takes the old one's place, and overwrites the seeds. */
async function store(
  path: string,
  passphrase: Buffer,
  first: Uint8Array,
  second: { seed: Uint8Array; stage: SeedStage },
): Promise<void> {
  const content = await sealSeeds(first, second, passphrase)
  await replaceSecretFile(path, content, async (stored) => {
    const opened = await openSeeds(stored, passphrase)
    const isSame = opened.first.equals(first) && opened.second?.seed.equals(second.seed)
    if (!isSame) throw new Error('The new seed file does not hold both seeds: the old one is unchanged')
  })
  first.fill(0)
  second.seed.fill(0)
}
