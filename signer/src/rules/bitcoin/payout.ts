import { HARDENED, isRefused } from '@bursar/chainkit'
import {
  REPLACEABLE,
  TRANSACTION_VERSION,
  accountPath,
  addressOf,
  estimateVsize,
  outpointOf,
  parseAddress,
  parsePsbt,
  parseTransaction,
  psbtFee,
  unsignedTxid,
  writePsbt,
} from '@bursar/chainkit/bitcoin'
import type { Psbt, PsbtOutput } from '@bursar/chainkit/bitcoin'
import { signPayout } from '@bursar/chainkit/signing'
import { nameOfSet } from '../../protocol/intent-set.ts'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { BitcoinPolicy } from '../../policy/policy.ts'
import type { Intent, SignRequest } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/** BIP 44: the branch of addresses that receive only our own change. */
const CHANGE_BRANCH = 1

/**
 * Parses a PSBT and compares it with the intents. Every output must pay one intent, to the satoshi, or be change to our
 * own hot account; every intent must be paid once; every input must be ours; the fee must not exceed the caps.
 */
export function judgeBitcoin(policy: BitcoinPolicy, keyring: Keyring, request: SignRequest): Judgement {
  if (request.purpose !== 'payout' && request.purpose !== 'cold') {
    throw new Refusal('network', 'On Bitcoin only payouts, consolidations and transfers to cold storage are signed')
  }
  const psbt = readPsbt(request.unsigned)
  judgeInputs(psbt, keyring, request)
  const changeIndex = judgeOutputs(psbt, policy, keyring, request.intents)
  const paid = request.intents.reduce((sum, { units }) => sum + BigInt(units), 0n)
  const fee = judgeFee(psbt, policy, paid)
  const unsignedId = unsignedTxid(psbt)
  return {
    unsignedId,
    conflictKeys: psbt.inputs.map(outpointOf),
    fee,
    // All transactions for one set of intents conflict; see History.
    feeSlot: nameOfSet(request.intents),
    ...(changeIndex !== undefined && { changeIndex }),
    sign: () => signRead(psbt, unsignedId, keyring, request),
  }
}

/**
 * Parses a PSBT. Throws a Refusal unless the bytes are exactly those that chainkit writes, so that all of them are
 * judged.
 */
export function readPsbt(unsigned: string, versions: readonly number[] = [TRANSACTION_VERSION]): Psbt {
  const bytes = Buffer.from(unsigned, 'hex')
  const psbt = parsePsbt(bytes)
  if (isRefused(psbt)) throw new Refusal('not-parsable', psbt.message)
  const { transactionVersion, lockTime, inputs, outputs } = psbt
  if (inputs.length === 0 || outputs.length === 0) {
    throw new Refusal('not-parsable', 'The PSBT has no inputs or outputs')
  }
  if (!versions.includes(transactionVersion) || lockTime !== 0) {
    throw new Refusal('not-parsable', `The transaction must be of version ${versions.join(' or ')} with lock time 0`)
  }
  if (inputs.some(({ sequence }) => sequence !== REPLACEABLE)) {
    throw new Refusal('not-parsable', 'Every input must signal that it is replaceable (sequence fffffffd)')
  }
  let canonical: Uint8Array
  try {
    canonical = writePsbt(psbt)
  } catch (error) {
    throw new Refusal('not-parsable', (error as Error).message)
  }
  if (!bytes.equals(canonical)) {
    throw new Refusal('not-parsable', 'The PSBT contains more than a payout in the form that chainkit writes')
  }
  return psbt
}

export function judgeInputs(psbt: Psbt, keyring: Keyring, { keys }: SignRequest): void {
  if (keys.length !== psbt.inputs.length) throw new Refusal('key-mismatch', 'There must be one key for each input')
  psbt.inputs.forEach(({ script }, at) => {
    if (!equal(keyring.bitcoinAddress(keys[at]!).script, script)) {
      throw new Refusal('key-mismatch', `Input ${at} is not owned by the key named for it`)
    }
  })
}

/** Compares the outputs with the intents. Returns the index of the change address, or undefined without change. */
function judgeOutputs(
  psbt: Psbt,
  policy: BitcoinPolicy,
  keyring: Keyring,
  intents: readonly Intent[],
): number | undefined {
  const open = intents.map((intent) => ({ intent, script: scriptOf(intent, policy), units: BigInt(intent.units) }))
  let changeIndex: number | undefined
  for (const [at, output] of psbt.outputs.entries()) {
    const paid = open.findIndex(({ script, units }) => units === output.units && equal(script, output.script))
    if (paid >= 0) {
      open.splice(paid, 1)
      continue
    }
    const ownIndex = ownChangeIndex(output, keyring)
    if (ownIndex === undefined) throw unexplained(at, output, open, policy)
    if (changeIndex !== undefined) throw new Refusal('unknown-output', 'There is more than one change output')
    changeIndex = ownIndex
  }
  if (open.length > 0) throw new Refusal('destination-mismatch', `No output pays intent ${open[0]!.intent.id}`)
  return changeIndex
}

function scriptOf({ id, to }: Intent, { chain }: BitcoinPolicy): Uint8Array {
  const parsed = parseAddress(to, chain)
  if (isRefused(parsed)) throw new Refusal('destination-mismatch', `Intent ${id}: ${parsed.message}`)
  if (parsed.address !== to) {
    throw new Refusal('destination-mismatch', `Intent ${id}: write the address as ${parsed.address}`)
  }
  return parsed.script
}

/**
 * Index of the change address if the output is our change. The PSBT names the key, but the script must equal the one
 * that we derive ourselves.
 */
export function ownChangeIndex({ script, origins }: PsbtOutput, keyring: Keyring): number | undefined {
  if (origins.length !== 1) return undefined
  const { masterFingerprint, path } = origins[0]!
  const first = keyring.firstIndexOf(masterFingerprint)
  const branch = [...accountPath('hot', keyring.chain), CHANGE_BRANCH]
  const isChangePath = path.length === branch.length + 1 && branch.every((step, at) => step === path[at])
  if (first === undefined || !isChangePath || path.at(-1)! >= HARDENED - first) return undefined
  const index = first + path.at(-1)!
  const own = keyring.bitcoinAddress({ account: 'hot', branch: CHANGE_BRANCH, index })
  return equal(own.script, script) ? index : undefined
}

function unexplained(
  at: number,
  { script, units }: PsbtOutput,
  open: readonly { intent: Intent; script: Uint8Array }[],
  { chain }: BitcoinPolicy,
): Refusal {
  const meant = open.find((one) => equal(one.script, script))
  if (meant) {
    const { id, units: expected } = meant.intent
    return new Refusal('amount-mismatch', `Output ${at} pays ${units} satoshi; intent ${id} says ${expected}`)
  }
  const address = addressOf(script, chain) ?? 'a script without an address'
  return new Refusal('unknown-output', `Output ${at} pays ${address}, which is neither an intent nor our change`)
}

/**
 * Returns the fee. Throws a Refusal when it exceeds a cap.
 *
 * A BIP 143 signature covers the amount of its input, so no node accepts a transaction from a PSBT that misstates one.
 * Signatures from two PSBTs that misstate different inputs could be combined into a valid transaction: history refuses
 * the second, and `sign-cold` requires proof of the amounts.
 * @param paid satoshi; the relative cap refers to this amount
 */
export function judgeFee(psbt: Psbt, { fee: caps }: BitcoinPolicy, paid: bigint): bigint {
  const fee = psbtFee(psbt)
  if (fee < 0n) throw new Refusal('not-parsable', 'The outputs are more than the inputs')
  if (fee > caps.maxUnits) {
    throw new Refusal('fee-too-high', `A fee of ${fee} satoshi is above the cap of ${caps.maxUnits}`)
  }
  if (fee * 1000n > caps.maxPerMille * paid) {
    throw new Refusal('fee-too-high', `A fee of ${fee} satoshi is above ${caps.maxPerMille}/1000 of the ${paid} paid`)
  }
  const vsize = estimateVsize(
    psbt.inputs.map(({ script }) => script),
    psbt.outputs.map(({ script }) => script),
  )
  if (fee * 1000n > caps.maxMilliSatPerVb * BigInt(vsize)) {
    throw new Refusal('fee-too-high', `A fee of ${fee} satoshi for ${vsize} virtual bytes is above the cap on the rate`)
  }
  return fee
}

/** Signs a PSBT, then parses the signed bytes and throws unless they are the transaction that was judged. */
export function signRead(
  psbt: Psbt,
  unsignedId: string,
  keyring: Keyring,
  { keys }: SignRequest,
): ReturnType<Judgement['sign']> {
  const { raw, txid, vsize } = keyring.withBitcoinKeys(keys, (privateKeys) => signPayout(psbt, privateKeys))
  const parsed = parseTransaction(raw)
  if (isRefused(parsed) || parsed.txid !== unsignedId || txid !== unsignedId) {
    throw new Error('The signed transaction is not the one that was judged')
  }
  return { signed: Buffer.from(raw).toString('hex'), hash: txid, vsize }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
