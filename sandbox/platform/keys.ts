/**
 * Creates the sandbox's own keys once and stores them: a signer's seed, its passphrase, the data key. Never for real
 * money.
 */
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface SandboxKeys {
  readonly folder: string
  readonly seed: string
  readonly passphrase: string
  readonly dataKey: string
  readonly cardKey: string
  /** extended public keys, as the server reads them */
  readonly wallet: string
}

/** Extended public keys of the hot wallets, by chain family. */
export interface SandboxWallet {
  readonly bitcoinChain: BitcoinChain
  readonly bitcoin: { readonly hot: string; readonly deposit: string }
  readonly evm: { readonly hot: string; readonly deposit: string }
  readonly tron: { readonly hot: string; readonly deposit: string }
}

const FAMILIES = ['bitcoin', 'evm', 'tron'] as const
const run = promisify(execFile)

/** Creates missing keys. */
export async function prepareKeys(dir: string, signer: string): Promise<SandboxKeys> {
  const folder = join(dir, 'keys')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const at = (name: string): string => join(folder, name)
  const keys: SandboxKeys = {
    folder,
    seed: at('seed.json'),
    passphrase: at('passphrase'),
    dataKey: at('data-key'),
    cardKey: at('card-key'),
    wallet: at('wallet.json'),
  }
  writeOnce(keys.passphrase, randomBytes(24).toString('base64url'))
  writeOnce(keys.dataKey, randomBytes(32).toString('hex'))
  writeOnce(keys.cardKey, randomBytes(32).toString('hex'))
  if (!existsSync(keys.seed)) {
    await run(process.execPath, [signer, 'init', '--seed', keys.seed, '--passphrase-file', keys.passphrase])
  }
  if (!isWhole(keys.wallet)) {
    const { stdout } = await run(process.execPath, [
      signer,
      'xpubs',
      '--seed',
      keys.seed,
      '--passphrase-file',
      keys.passphrase,
      '--chain',
      'regtest',
    ])
    writeFileSync(`${keys.wallet}.new`, stdout, { mode: 0o600 })
    renameSync(`${keys.wallet}.new`, keys.wallet)
  }
  return keys
}

function writeOnce(file: string, content: string): void {
  if (!existsSync(file)) writeFileSync(file, content, { mode: 0o600 })
}

/** A wallet file of an older sandbox may lack keys of newer chains; they are derived from the seed. */
function isWhole(wallet: string): boolean {
  if (!existsSync(wallet)) return false
  const keys = JSON.parse(readFileSync(wallet, 'utf8')) as Partial<SandboxWallet>
  return FAMILIES.every((family) => keys[family] !== undefined)
}

export function readWallet(keys: SandboxKeys): SandboxWallet {
  return JSON.parse(readFileSync(keys.wallet, 'utf8')) as SandboxWallet
}
