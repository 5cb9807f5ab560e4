import { NATIVE_TICKER } from '@bursar/chainkit'
import { outpointOf, TRANSACTION_VERSION, TRUC_VERSION, unsignedTxid } from '@bursar/chainkit/bitcoin'
import { judgeFee, judgeInputs, ownChangeIndex, readPsbt, signRead } from './payout.ts'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { BitcoinPolicy } from '../../policy/policy.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/** A transaction that spends an unconfirmed transaction of version 3 must have version 3 too (BIP 431). */
const VERSIONS = [TRANSACTION_VERSION, TRUC_VERSION]

/**
 * Judges a PSBT that joins our coins into one. Every input must be ours, and the one output must pay an address that we
 * derive from our own seed on the change branch of the hot account. The caps on fees are those of a payout;
 * `maxPerMille` limits the fee as a part of the amount of the output.
 */
export function judgeConsolidation(policy: BitcoinPolicy, keyring: Keyring, request: SignRequest): Judgement {
  if (!policy.consolidation?.enabled) throw new Refusal('disabled', 'Consolidation is switched off in the policy')
  if (!policy.assets.get(NATIVE_TICKER.BITCOIN)?.enabled)
    throw new Refusal('disabled', 'Signing of BTC is switched off')
  const psbt = readPsbt(request.unsigned, VERSIONS)
  judgeInputs(psbt, keyring, request)
  const [output, ...more] = psbt.outputs
  if (!output || more.length > 0) throw new Refusal('unknown-output', 'A consolidation has exactly one output')
  const changeIndex = ownChangeIndex(output, keyring)
  if (changeIndex === undefined) throw new Refusal('unknown-output', 'The output is not an address of our hot account')
  const unsignedId = unsignedTxid(psbt)
  return {
    unsignedId,
    conflictKeys: psbt.inputs.map(outpointOf),
    fee: judgeFee(psbt, policy, output.units),
    // Of two transactions that spend this coin, only one can confirm. A replacement has the same coins in the same
    // order.
    feeSlot: outpointOf(psbt.inputs[0]!),
    changeIndex,
    sign: () => signRead(psbt, unsignedId, keyring, request),
  }
}
