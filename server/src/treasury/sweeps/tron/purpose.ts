import { ownerOf } from '../../../chain/addresses/index.ts'
import type { Contract } from '@bursar/chainkit/tron'
import type { Db } from '../../../platform/db/index.ts'
import { tronContractOf, type Outgoing, type SigningPurpose, unsignedOf } from '../../../chain/transactions/index.ts'

/**
 * Returns the description, for the signer, of a TRON transaction that moves or lends between accounts of ours, with the
 * receiving account.
 */
export const tronPurposeOf = async (db: Db, outgoing: Outgoing): Promise<SigningPurpose> => {
  const { purpose } = outgoing
  if (purpose === 'sweep') return { purpose: 'sweep', intents: [] }
  const receiver = receiverOf(tronContractOf(await unsignedOf(db, outgoing)))
  return {
    purpose: purpose === 'gas' ? 'sweep' : 'treasury',
    intents: [],
    ...(receiver !== undefined && { receiver: { account: 'deposit', branch: 0, index: await indexOf(db, receiver) } }),
  }
}

const receiverOf = (contract: Contract): string | undefined => {
  if (contract.kind === 'TransferContract') return contract.to
  if (contract.kind === 'AccountCreateContract') return contract.account
  return contract.kind === 'DelegateResourceContract' || contract.kind === 'UnDelegateResourceContract'
    ? contract.receiver
    : undefined
}

const indexOf = async (db: Db, address: string): Promise<number> => {
  const owner = (await ownerOf(db, 'TRON', [address])).get(address)
  if (!owner) throw new Error(`${address} is no deposit address`)
  return owner.index
}
