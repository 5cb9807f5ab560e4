import { NATIVE_TICKER } from '@bursar/chainkit'
import { decodeTokenTransfer } from '@bursar/chainkit/tron'
import type { Contract } from '@bursar/chainkit/tron'
import type { Keyring } from '../../keys/keyring.ts'
import type { TronPolicy } from '../../policy/policy.ts'
import type { KeyReference } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/**
 * The first key of the hot account, which receives TRON's deposits. The signer derives its address; the caller does not
 * name it. Branch 0 of BIP-44 has the addresses that receive money from outside.
 */
const HOT: KeyReference = { account: 'hot', branch: 0, index: 0 }

/**
 * Judges a sweep or a top-up. A sweep pays an enabled asset from a deposit address to our hot address. A top-up sends
 * TRX from the hot address to a deposit address, for the fees of its sweep; the request names the key of the deposit
 * address.
 * @returns sun that the hot address pays in addition to fees
 */
export function judgeTronSweep(
  contract: Contract,
  { sweep, assets }: TronPolicy,
  keyring: Keyring,
  key: KeyReference,
  receiver: KeyReference | undefined,
): bigint {
  if (!sweep?.enabled) throw new Refusal('disabled', 'Sweeps on TRON are switched off in the policy')
  if (key.account === 'hot') return judgeTopUp(contract, sweep, keyring, key, receiver)
  if (receiver) throw new Refusal('bad-request', 'A sweep goes to our hot address: name no receiver')
  const to = judgeAsset(contract, assets)
  const hot = keyring.tronAddress(HOT)
  if (to !== hot) throw new Refusal('destination-mismatch', `Sweeps go to ${hot}, not ${to}`)
  return 0n
}

function judgeTopUp(
  contract: Contract,
  { maxTopUp }: { maxTopUp: bigint },
  keyring: Keyring,
  key: KeyReference,
  receiver: KeyReference | undefined,
): bigint {
  if (key.index !== HOT.index) throw new Refusal('key-mismatch', 'A top-up is paid by the first key of the hot account')
  if (receiver?.account !== 'deposit' || receiver.branch !== 0) {
    throw new Refusal('bad-request', 'A top-up names the key of the deposit address that receives it')
  }
  if (contract.kind !== 'TransferContract')
    throw new Refusal('unknown-output', `A top-up is TRX, not a ${contract.kind}`)
  const ours = keyring.tronAddress(receiver)
  if (contract.to !== ours)
    throw new Refusal('destination-mismatch', `The key named has ${ours}; ${contract.to} would be paid`)
  if (contract.amount > maxTopUp) {
    throw new Refusal('limit', `${contract.amount} sun is above ${maxTopUp}, the most for one top-up`)
  }
  return contract.amount
}

/**
 * Returns the receiver of a payment by a deposit address; the caller compares it with the hot address. Throws a Refusal
 * unless the policy enables the asset.
 */
function judgeAsset(contract: Contract, assets: TronPolicy['assets']): string {
  if (contract.kind === 'TransferContract') {
    requireEnabled(NATIVE_TICKER.TRON, assets)
    return contract.to
  }
  if (contract.kind !== 'TriggerSmartContract')
    throw new Refusal('unknown-output', `A sweep is a payment, not a ${contract.kind}`)
  const [ticker] = [...assets].find(([, asset]) => asset.contract === contract.contract) ?? []
  if (ticker === undefined) throw new Refusal('unknown-asset', `${contract.contract} is not in the policy of TRON`)
  requireEnabled(ticker, assets)
  if (contract.callValue !== 0n) throw new Refusal('amount-mismatch', 'A token payment sends no TRX')
  const transfer = decodeTokenTransfer(contract.data)
  if (!transfer) throw new Refusal('unknown-output', 'The call is not exactly transfer(address,uint256)')
  return transfer.to
}

function requireEnabled(ticker: string, assets: TronPolicy['assets']): void {
  const asset = assets.get(ticker)
  if (!asset) throw new Refusal('unknown-asset', `${ticker} is not in the policy of TRON`)
  if (!asset.enabled) throw new Refusal('disabled', `Signing of ${ticker} is switched off`)
}
