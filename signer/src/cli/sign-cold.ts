import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { isNetwork, isRefused, joinBbqr } from '@bursar/chainkit'
import { withoutPrevious } from '@bursar/chainkit/bitcoin'
import { Keyring } from '../keys/keyring.ts'
import { findNetworkPolicy } from '../rules/limits.ts'
import { readPolicy } from '../policy/policy.ts'
import type { KeyReference, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { readSignRequest } from '../protocol/request.ts'
import { readSecretFile, readTrustedFile } from '../keys/secret-file.ts'
import { openSeed } from '../keys/seed-file.ts'
import { chainOf, judge } from '../server/signer.ts'
import { readPassphrase } from './passphrase.ts'

/** What `bursar cold show ID --out FILE` writes, as far as it is believed: the policy and the bytes say the rest. */
interface ColdFile {
  id: string
  network: string
  asset: string
  to: string
  units: string
  unsigned: string
  /** Bitcoin: the same in base64, with the transactions that are spent from */
  psbt?: string
  keys: KeyReference[]
}

/**
 * Signs one transfer to cold storage on a machine without a network: reads the file that the server made, holds the
 * bytes against the policy that lies here, which alone says where cold storage is, and writes the file with the signed
 * bytes in it. Nothing is written to a log: the machine that serves payouts has its own. On Bitcoin amounts are
 * therefore believed only when the transactions that are spent from come along.
 */
export async function signCold(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const options = {
    seed: text,
    'passphrase-file': text,
    'passphrase-stdin': { type: 'boolean' },
    policy: text,
    in: text,
    out: text,
  } as const
  const { values } = parseArgs({ args, options })
  const { seed: seedFile, policy: policyFile, in: source, out: target } = values
  if (!seedFile || !policyFile || !source || !target)
    throw new Error('Say --seed FILE, --policy FILE, --in FILE and --out FILE')
  const policy = readPolicy(await readTrustedFile(policyFile))
  const file = parseFile(await readFile(source, 'utf8'))
  const request = requestOf(file)
  if (request.network === 'BITCOIN') requireProven(file)
  const networkPolicy = findNetworkPolicy(policy, request)
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  const seed = await openSeed((await readSecretFile(seedFile)).toString('utf8'), passphrase)
  passphrase.fill(0)
  // A policy without Bitcoin says nothing of its chain, and no key of Bitcoin is then asked for.
  const keyring = Keyring.open(seed, chainOf(policy) ?? 'mainnet')
  try {
    const judgement = judge(networkPolicy, keyring, request, Date.now())
    const { signed, hash } = judgement.sign()
    await writeFile(target, `${JSON.stringify({ ...file, signed, hash }, null, 2)}\n`, { flag: 'wx' })
    process.stdout.write(
      `signed: ${file.units} units of ${file.asset} on ${file.network} to ${file.to}, fee at most ${judgement.fee}\n${hash}\n`,
    )
  } catch (error) {
    throw error instanceof Refusal ? new Error(`refused (${error.code}): ${error.message}`) : error
  } finally {
    keyring.close()
  }
}

/**
 * Who remembers nothing can be asked twice for one transaction, each time with another input's amount misstated, and
 * both valid halves together pay a fee that was never shown (CVE-2020-14199). Throws unless every amount is proven.
 */
function requireProven({ unsigned, psbt }: ColdFile): void {
  const proven = withoutPrevious(Buffer.from(psbt ?? '', 'base64'))
  if (isRefused(proven)) throw new Error(`refused (amounts-not-proven): ${proven.message}`)
  if (!Buffer.from(unsigned, 'hex').equals(proven))
    throw new Error('refused (amounts-not-proven): The PSBT is of another transaction than the one to sign')
}

/** The file itself, or the texts of its QR codes (BBQr), as a camera reads them. */
function parseFile(text: string): ColdFile & Record<string, unknown> {
  const joined = text.startsWith('B$') ? joinBbqr(text.trim().split(/\s+/)) : undefined
  if (joined && isRefused(joined)) throw new Error(joined.message)
  return JSON.parse(joined ? Buffer.from(joined.bytes).toString('utf8') : text) as ColdFile & Record<string, unknown>
}

function requestOf({ id, network, asset, to, units, unsigned, keys }: ColdFile): SignRequest {
  if (typeof network !== 'string' || !isNetwork(network)) throw new Error('This file is no transfer to cold storage')
  const intents = [{ id, asset, to, units }]
  return readSignRequest(JSON.stringify({ network, transactionId: id, purpose: 'cold', intents, unsigned, keys }))
}
