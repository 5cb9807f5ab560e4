/** The transactions of nodes beside those of the database: bytes are stored before any node gets them (C3). */
import { sql } from 'kysely'
import type { Simulation } from '../simulation.ts'

/** @returns transactions of the program that a node has and the database does not have, in one line each */
export const compareStored = async ({ db, chains, signer }: Simulation): Promise<string[]> => {
  const { rows } = await sql<{ hash: string }>`select h as hash from unnest(${[...signer.hashes.keys()]}::text[]) h
    where not exists (select from outgoing_attempts where hash = h and raw is not null)`.execute(db)
  const problems: string[] = []
  for (const { hash } of rows) {
    const chain = chains.find(({ network }) => network === signer.hashes.get(hash))
    const status = (await chain?.transaction(hash)) ?? 'unknown'
    if (status !== 'unknown')
      problems.push(`a node of ${chain!.network} has ${hash} (${status}), and the database does not have its bytes`)
  }
  return problems
}
