/** The sandbox's own keys, made once and kept: a signer's seed, its passphrase, the data key. Never for real money. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface SandboxKeys {
  readonly folder: string
  readonly seed: string
  readonly passphrase: string
  readonly dataKey: string
  /** extended public keys, as the server reads them */
  readonly wallet: string
}

const run = promisify(execFile)

/** Makes what is missing. */
export async function prepareKeys(dir: string, signer: string): Promise<SandboxKeys> {
  const folder = join(dir, 'keys')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const at = (name: string): string => join(folder, name)
  const keys: SandboxKeys = { folder, seed: at('seed.json'), passphrase: at('passphrase'), dataKey: at('data-key'), wallet: at('wallet.json') }
  writeOnce(keys.passphrase, randomBytes(24).toString('base64url'))
  writeOnce(keys.dataKey, randomBytes(32).toString('hex'))
  if (!existsSync(keys.seed)) {
    await run(process.execPath, [signer, 'init', '--seed', keys.seed, '--passphrase-file', keys.passphrase])
  }
  if (!existsSync(keys.wallet)) {
    const { stdout } = await run(process.execPath, [
      signer, 'xpubs', '--seed', keys.seed, '--passphrase-file', keys.passphrase, '--chain', 'regtest',
    ])
    writeFileSync(keys.wallet, stdout, { mode: 0o600 })
  }
  return keys
}

function writeOnce(file: string, content: string): void {
  if (!existsSync(file)) writeFileSync(file, content, { mode: 0o600 })
}

export function readWallet(keys: SandboxKeys): { bitcoin: { hot: string }; evm: { hot: string } } {
  return JSON.parse(readFileSync(keys.wallet, 'utf8')) as { bitcoin: { hot: string }; evm: { hot: string } }
}
