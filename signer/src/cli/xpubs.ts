import { parseArgs } from 'node:util'
import { isBitcoinChain } from '@bursar/chainkit/bitcoin'
import { openKeyring } from '../keys/open-keyring.ts'
import { readPassphrase } from './passphrase.ts'

/**
 * Prints the account-level extended public keys, those of an active second seed too. The rest of the system needs no
 * other key.
 */
export async function xpubs(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      'passphrase-file': { type: 'string' },
      'passphrase-stdin': { type: 'boolean' },
      chain: { type: 'string' },
    },
  })
  const { seed: seedFile, chain = '' } = values
  if (!seedFile) throw new Error('Say which seed: --seed FILE')
  if (!isBitcoinChain(chain)) throw new Error('Name the chain of Bitcoin: --chain mainnet, testnet or regtest')
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  const keyring = await openKeyring(seedFile, passphrase, chain)
  process.stdout.write(`${JSON.stringify(keyring.publicKeys, null, 2)}\n`)
  keyring.close()
}
