/** The numbers of cards that requests have: each is erased when its request was placed or has ended (decision 213). */
import { sql } from 'kysely'
import type { Simulation } from '../simulation.ts'

/** A request waits for so long, ms (docs/integrating/payouts-by-two.md). */
const WAITS_MS = 72 * 3_600_000

/** @returns numbers that are still stored once everything has come to rest, in one line each */
export const compareStoredCards = async ({ db, books, clock }: Simulation): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select request_id as id from payout_cards`.execute(db)
  return rows.flatMap(({ id }) => {
    const requested = books.requested.find((one) => one.id === id)
    if (requested === undefined) return []
    const { maker, ended, askedAt } = requested
    const has = ended ?? (clock.now() - askedAt > WAITS_MS ? 'expired' : undefined)
    // An approved one is tried for a day while payouts are stopped.
    if (has === undefined || has === 'approved') return []
    return [`the number of the card of request ${id} of ${maker.name} is stored, and the request was ${has}`]
  })
}
