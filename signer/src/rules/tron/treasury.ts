import type { Contract } from '@bursar/chainkit/tron'
import type { BoundResources } from '../../log/entry.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { TronPolicy } from '../../policy/policy.ts'
import type { KeyReference } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/**
 * Judges staking, and lending to or activating our own accounts. The receiver's address is derived from our seed by the
 * key that the request names, and must be the one in the transaction. A loan must not be locked.
 * @returns the amount that counts towards the policy's sums
 */
export function judgeTreasury(
  contract: Contract,
  { treasury }: TronPolicy,
  keyring: Keyring,
  receiver: KeyReference | undefined,
): BoundResources | undefined {
  if (!treasury?.enabled) throw new Refusal('disabled', "TRON's treasury is switched off in the policy")
  switch (contract.kind) {
    case 'FreezeBalanceV2Contract':
    case 'UnfreezeBalanceV2Contract':
      judgeReceiver(undefined, keyring, receiver)
      judgeAmount(contract.amount, treasury)
      return { as: 'stake', units: contract.amount.toString() }
    case 'WithdrawExpireUnfreezeContract':
      judgeReceiver(undefined, keyring, receiver)
      return undefined
    case 'DelegateResourceContract':
      if (contract.lock) throw new Refusal('unknown-output', 'Resources that are lent must not be locked')
      judgeReceiver(contract.receiver, keyring, receiver)
      judgeAmount(contract.amount, treasury)
      return { as: 'loan', units: contract.amount.toString() }
    case 'UnDelegateResourceContract':
      judgeReceiver(contract.receiver, keyring, receiver)
      judgeAmount(contract.amount, treasury)
      return undefined
    case 'AccountCreateContract':
      judgeReceiver(contract.account, keyring, receiver)
      return undefined
    case 'TransferContract':
    case 'TriggerSmartContract':
      throw new Refusal('unknown-output', `A ${contract.kind} pays: it needs an intent`)
  }
}

function judgeReceiver(address: string | undefined, keyring: Keyring, key: KeyReference | undefined): void {
  if (address === undefined) {
    if (key) throw new Refusal('bad-request', 'This transaction has no receiver: name none')
    return
  }
  if (!key) throw new Refusal('bad-request', 'Say which of our keys has the account that receives')
  if (key.branch !== 0) throw new Refusal('key-mismatch', 'Keys of TRON are all on branch 0')
  const ours = keyring.tronAddress(key)
  if (address !== ours) throw new Refusal('destination-mismatch', `${address} receives; the key named has ${ours}`)
}

function judgeAmount(units: bigint, { maxUnits }: { maxUnits: bigint }): void {
  if (units === 0n) throw new Refusal('amount-mismatch', 'Nothing would be staked or lent')
  if (units > maxUnits) throw new Refusal('limit', `${units} sun is above ${maxUnits}, the treasury's limit`)
}
