import { isEvmNetwork } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { SignedTransaction } from '../../adapters/signer/port.ts'
import type { Db } from '../../platform/db/index.ts'

/** The transaction of these books that has used up in a final block what a signed one needs, by its hash. */
export const supersededBy = async (db: Db, transaction: SignedTransaction): Promise<string | undefined> => {
  for (const key of transaction.conflictKeys) {
    const by = await (isEvmNetwork(transaction.network) ? nonceUser : coinSpender)(db, transaction, key.split(':'))
    if (by !== undefined) return by
  }
  return undefined
}

type FindUser = (db: Db, transaction: SignedTransaction, key: readonly string[]) => Promise<string | undefined>

/** @param key chain id, address and nonce */
const nonceUser: FindUser = async (db, { network, hash }, [, address, nonce]) => {
  const { rows } = await sql<{
    hash: string
  }>`select mined_hash as hash from outgoing where network = ${network} and senders[1] = ${address} and nonce = ${Number(nonce)}
    and state in ('final', 'failed') and mined_hash <> ${hash}`.execute(db)
  return rows[0]?.hash
}

/** @param key transaction and output. What others have spent it by proves itself once the payment is in these books. */
const coinSpender: FindUser = async (db, { network, hash }, [transaction, vout]) => {
  const { rows } = await sql<{
    hash: string
  }>`select x.spent_by as hash from utxos x join watch_cursors c on c.network = x.network and x.spent_height <= c.final_height
    where x.network = ${network} and x.transaction = ${transaction} and x.vout = ${Number(vout)} and x.spent_by <> ${hash}
      and exists (select from outgoing_attempts a where a.network = x.network and a.hash = x.spent_by)`.execute(db)
  return rows[0]?.hash
}
