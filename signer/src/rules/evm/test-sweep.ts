/**
 * Requests for sweeps that obey the policy of the test world, until they are altered. Only tests of the signer use it.
 */
import { sweepContracts, serializeDraft, serializeUnsigned, sweepMany, toHex } from '@bursar/chainkit/evm'
import type { Eip1559Transaction, Hex, SetCodeDraft, SweepGroup } from '@bursar/chainkit/evm'
import type { KeyReference, SignRequest } from '../../protocol/protocol.ts'
import { TREASURY, USDT, depositKey, hotKey, keyring, policyFile, uuid } from '../../../../test/world/signer.ts'

export const contracts = sweepContracts(TREASURY)
export const addressOf = (index: number): Hex => keyring.evmAddress(depositKey(index))

/** Of the sender, at prices that the policy allows. */
const SWEEP_CALL = {
  chainId: 31_337n,
  nonce: 0n,
  gas: 500_000n,
  maxFeePerGas: 20n * 10n ** 9n,
  maxPriorityFeePerGas: 10n ** 9n,
  value: 0n,
} as const

export interface SweepPlan {
  /** Deposit addresses by index */
  accounts: number[]
  /** Those that authorise, with the nonce of each */
  authorize?: [number, bigint][]
  assets?: Hex[]
  /** In place of the call of the batch */
  call?: Partial<Eip1559Transaction>
  alter?: (draft: SetCodeDraft) => SetCodeDraft
  request?: Partial<SignRequest>
}

export function sweepRequest({
  accounts,
  authorize = [],
  assets = [USDT],
  call = {},
  alter = (draft) => draft,
  request = {},
}: SweepPlan): SignRequest {
  const groups: SweepGroup[] = [{ assets, accounts: accounts.map(addressOf) }]
  const transaction = { ...SWEEP_CALL, to: contracts.batch.address, data: sweepMany.encode(groups), ...call }
  const authorizations = authorize.map(([, nonce]) => ({
    chainId: transaction.chainId,
    delegate: contracts.delegate.address,
    nonce,
  }))
  const bytes =
    authorize.length === 0
      ? serializeUnsigned({ ...transaction, type: 'eip1559' })
      : serializeDraft(alter({ ...transaction, type: 'eip7702', authorizations }))
  const first = authorize.map(([index]) => index)
  const keys = [...first, ...accounts.filter((index) => !first.includes(index))].map(depositKey)
  return swept(toHex(bytes), [hotKey, ...keys], request)
}

/** Any ordinary transaction as a sweep. */
export function plainSweep(
  transaction: Partial<Eip1559Transaction>,
  keys: KeyReference[],
  request: Partial<SignRequest> = {},
): SignRequest {
  const whole = { ...SWEEP_CALL, type: 'eip1559' as const, to: TREASURY, data: '0x' as const, ...transaction }
  return swept(toHex(serializeUnsigned(whole)), keys, request)
}

function swept(unsigned: string, keys: KeyReference[], request: Partial<SignRequest>): SignRequest {
  return { network: 'ETHEREUM', transactionId: uuid(0xfffb), purpose: 'sweep', intents: [], unsigned, keys, ...request }
}

const OTHER_TREASURY: Hex = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

/** The policy after the treasury has moved, which is another delegate. */
export const movedPolicy = {
  ...policyFile,
  networks: {
    ...policyFile.networks,
    ETHEREUM: {
      ...policyFile.networks.ETHEREUM,
      sweep: { ...policyFile.networks.ETHEREUM.sweep, treasury: OTHER_TREASURY },
    },
  },
}
export const movedContracts = sweepContracts(OTHER_TREASURY)
/** The policy with USDC switched on. */
export const usdcPolicy = {
  ...policyFile,
  networks: {
    ...policyFile.networks,
    ETHEREUM: {
      ...policyFile.networks.ETHEREUM,
      assets: {
        ...policyFile.networks.ETHEREUM.assets,
        USDC: { ...(policyFile.networks.ETHEREUM.assets as { USDC: object }).USDC, enabled: true },
      },
    },
  },
}
