import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { isNetwork, isRefused, joinBbqr } from '@bursar/chainkit'
import { withoutPrevious } from '@bursar/chainkit/bitcoin'
import { openKeyring } from '../keys/open-keyring.ts'
import { findNetworkPolicy } from '../rules/limits.ts'
import { judgeRotation, requireRotatable } from '../rules/rotation.ts'
import { readPolicy } from '../policy/policy.ts'
import type { KeyReference, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { readSignRequest } from '../protocol/request.ts'
import { readTrustedFile } from '../keys/secret-file.ts'
import { chainOf, judge } from '../server/signer.ts'
import { readPassphrase } from './passphrase.ts'

/**
 * The members that are read of a file that `bursar cold show ID --out FILE` wrote. Everything in it is checked against
 * the policy and the unsigned bytes.
 */
interface ColdFile {
  id: string
  network: string
  asset: string
  to: string
  units: string
  unsigned: string
  /** Bitcoin: the same PSBT in base64, with the transactions whose outputs are spent */
  psbt?: string
  keys: KeyReference[]
}

/**
 * Signs one transfer to cold storage on a machine without a network. It reads the file that the server made, checks the
 * bytes against the policy on this machine, which alone defines the cold address, and writes the file again with the
 * signed bytes. It writes no log, because the log belongs to the signer that serves payouts. On Bitcoin it therefore
 * trusts amounts only if the file includes the transactions whose outputs are spent.
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
    throw new Error('Give --seed FILE, --policy FILE, --in FILE and --out FILE')
  const policy = readPolicy(await readTrustedFile(policyFile))
  const file = parseFile(await readFile(source, 'utf8'))
  const request = requestOf(file)
  if (request.network === 'BITCOIN') requireProven(file)
  const networkPolicy = findNetworkPolicy(policy, request)
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  // A policy without Bitcoin names no Bitcoin chain; then no Bitcoin key is used, and any chain will do.
  const keyring = await openKeyring(seedFile, passphrase, chainOf(policy) ?? 'mainnet')
  try {
    requireRotatable(keyring, policy)
    const judgement = judge(networkPolicy, keyring, request, Date.now())
    judgeRotation(keyring, request, judgement, false)
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
 * Throws unless every input amount is proven. A signer without a log could be asked twice to sign one transaction, each
 * time with a different input amount misstated. The valid signatures of both, combined, would pay a fee that was never
 * shown (CVE-2020-14199).
 */
function requireProven({ unsigned, psbt }: ColdFile): void {
  const proven = withoutPrevious(Buffer.from(psbt ?? '', 'base64'))
  if (isRefused(proven)) throw new Error(`refused (amounts-not-proven): ${proven.message}`)
  if (!Buffer.from(unsigned, 'hex').equals(proven))
    throw new Error('refused (amounts-not-proven): The PSBT is of another transaction than the one to sign')
}

/** Parses the file, which is JSON or the texts of its QR codes (BBQr) as a camera reads them. */
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
