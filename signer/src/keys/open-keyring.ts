import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { Keyring } from './keyring.ts'
import { readSecretFile } from './secret-file.ts'
import { openSeeds } from './seed-file.ts'
import type { SeedStage } from './seed-file.ts'

/**
 * Opens the keys of a seed file, and overwrites the passphrase. A second seed is used only when it is active. Throws a
 * SeedFileError, and the errors of `readSecretFile`.
 */
export async function openKeyring(path: string, passphrase: Buffer, chain: BitcoinChain): Promise<Keyring> {
  const { keyring } = await openFile(path, passphrase, chain, ['active', 'stolen'])
  return keyring
}

/** Opens the keys of a seed file as `openKeyring` does, with a second seed that is only prepared, too. */
export async function openPrepared(
  path: string,
  passphrase: Buffer,
  chain: BitcoinChain,
): Promise<{ keyring: Keyring; stage: SeedStage | undefined }> {
  return openFile(path, passphrase, chain, ['prepared', 'active', 'stolen'])
}

async function openFile(
  path: string,
  passphrase: Buffer,
  chain: BitcoinChain,
  used: readonly SeedStage[],
): Promise<{ keyring: Keyring; stage: SeedStage | undefined }> {
  try {
    const { first, second } = await openSeeds((await readSecretFile(path)).toString('utf8'), passphrase)
    const isUsed = second !== undefined && used.includes(second.stage)
    if (!isUsed) second?.seed.fill(0)
    const keyring = Keyring.open(first, chain, isUsed ? second.seed : undefined, second?.stage === 'stolen')
    return { keyring, stage: second?.stage }
  } finally {
    passphrase.fill(0)
  }
}
