/** The machine without a network on which an operator signs transfers to cold storage, with the real `sign-cold`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { checksumAddress } from '@bursar/chainkit/evm'
import type { Network } from '@bursar/chainkit'
import { signCold } from '../../../signer/src/cli/sign-cold.ts'
import { sealSeed } from '../../../signer/src/keys/seed-file.ts'
import { SEED } from './keys.ts'

const COLD_KEY_HASH = '5c'.repeat(20)
const ON_EVM = checksumAddress(`0x${COLD_KEY_HASH}`)

/** The owner's cold addresses; Bitcoin has none here. */
export const COLD: Partial<Record<Network, string>> = {
  ETHEREUM: ON_EVM,
  BINANCE_SMART_CHAIN: ON_EVM,
  TRON: addressOfEvmForm(COLD_KEY_HASH),
}

export interface Offline {
  /** where the operator puts files for this machine; empty between two transfers */
  readonly folder: string
  /** Signs what `bursar cold show --out` has written. @returns the path of the file with the signed bytes */
  sign(path: string): Promise<string>
  /** Removes the files of a transfer. */
  clear(): void
}

const PASSPHRASE = 'of a simulation'
const OWNER_ONLY = 0o700

/** @param policy of the signer, which this machine has a copy of */
export const openOffline = async (dir: string, policy: object): Promise<Offline> => {
  const [machine, folder] = [join(dir, 'machine'), join(dir, 'stick')]
  for (const one of [dir, machine]) mkdirSync(one, { recursive: true, mode: OWNER_ONLY })
  const write = (name: string, text: string): string => {
    const path = join(machine, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const seed = write('seed', await sealSeed(Buffer.from(SEED, 'hex'), Buffer.from(PASSPHRASE)))
  const [passphrase, policyFile] = [write('passphrase', `${PASSPHRASE}\n`), write('policy', JSON.stringify(policy))]
  const clear = (): void => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { mode: OWNER_ONLY })
  }
  clear()
  return {
    folder,
    clear,
    sign: async (path) => {
      const out = join(folder, 'signed.json')
      await signCold([
        '--seed',
        seed,
        '--passphrase-file',
        passphrase,
        '--policy',
        policyFile,
        '--in',
        path,
        '--out',
        out,
      ])
      return out
    },
  }
}
