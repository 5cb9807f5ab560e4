import type { Contract } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { tronContractOf, type Outgoing, type SigningPurpose } from '../../../chain/transactions/index.ts'

/**
 * The description that the signer gets of a transaction of TRON that moves money, or lends, between accounts of ours:
 * whose account receives.
 */
export const tronPurposeOf = async (db: Db, { id, attempt, purpose }: Outgoing): Promise<SigningPurpose> => {
  if (purpose === 'sweep') return { purpose: 'sweep', intents: [] }
  const { rows } = await sql<{
    unsigned: string
  }>`select unsigned from outgoing_attempts where outgoing_id = ${id} and attempt = ${attempt}`.execute(db)
  const receiver = receiverOf(tronContractOf(rows[0]!.unsigned))
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
  const { rows } = await sql<{
    index: number
  }>`select derivation_index as index from addresses where family = 'TRON' and address = ${address}`.execute(db)
  if (!rows[0]) throw new Error(`${address} is no deposit address`)
  return rows[0].index
}
