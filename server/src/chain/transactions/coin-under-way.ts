import { isRefused, type Network } from '@bursar/chainkit'
import { fromHex, isHex, parseDraft, parseUnsigned } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Purpose } from './transaction.ts'

/**
 * Sums the coin that unconfirmed transactions of EVM addresses send, besides their fees. Of several attempts of a
 * transaction the one that sends most counts, because any of them may be mined.
 * @param purpose only transactions of this purpose; all if absent
 * @returns wei by sender, without those that send none
 */
export const coinUnderWay = async (
  db: Db | Tx,
  network: Network,
  senders: readonly string[],
  purpose?: Purpose,
): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{
    id: string
    sender: string
    unsigned: string
  }>`select o.id, o.senders[1] as sender, a.unsigned
    from outgoing o join outgoing_attempts a on a.outgoing_id = o.id
    where o.network = ${network} and o.senders[1] = any(${[...senders]}::text[]) and o.state in ('planned', 'signed', 'broadcast')
      and (${purpose ?? null}::text is null or o.purpose = ${purpose ?? null})`.execute(db)
  const sums = new Map<string, bigint>()
  for (const attempts of Map.groupBy(rows, ({ id }) => id).values()) {
    const { sender } = attempts[0]!
    const most = attempts.map(({ unsigned }) => valueOf(unsigned)).reduce((a, b) => (a > b ? a : b))
    if (most > 0n) sums.set(sender, (sums.get(sender) ?? 0n) + most)
  }
  return sums
}

/** The wei that an EVM transaction sends, signed or not. */
export const valueOf = (unsigned: string): bigint => {
  if (!isHex(unsigned)) throw new RangeError(`not hex: ${unsigned}`)
  const bytes = fromHex(unsigned)
  const draft = parseDraft(bytes)
  const transaction = isRefused(draft) ? parseUnsigned(bytes) : draft
  if (isRefused(transaction)) throw new Error(`a stored transaction does not parse: ${transaction.message}`)
  return transaction.value
}
