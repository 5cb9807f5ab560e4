import { parseArgs } from 'node:util'
import { mnemonicToSeedSync } from '@scure/bip39'
import { createSecretFile } from '../keys/secret-file.ts'
import { sealSeed } from '../keys/seed-file.ts'
import { Keyring } from '../keys/keyring.ts'
import { readPassphrase } from './passphrase.ts'
import { wordsOf } from './words.ts'

/** Creates the encrypted seed file from new or given words. Prints the words only with `--show-mnemonic`. */
export async function init(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      'passphrase-file': { type: 'string' },
      'passphrase-stdin': { type: 'boolean' },
      'mnemonic-file': { type: 'string' },
      'show-mnemonic': { type: 'boolean' },
    },
  })
  if (!values.seed) throw new Error('Give the path of the seed file: --seed FILE')
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  const mnemonic = await wordsOf(values['mnemonic-file'])
  const seed = mnemonicToSeedSync(mnemonic)
  await createSecretFile(values.seed, await sealSeed(seed, passphrase))
  passphrase.fill(0)
  const keyring = Keyring.open(seed, 'mainnet')
  const { masterFingerprint } = keyring.publicKeys
  keyring.close()
  const shown = values['show-mnemonic'] ? { mnemonic } : {}
  process.stdout.write(`${JSON.stringify({ seed: values.seed, masterFingerprint, ...shown })}\n`)
}
