/** For a balance that differs: the model's payments beside the program's rows, those that one side alone has. */
import { sql } from 'kysely'
import type { Simulation } from '../simulation.ts'
import { toLedger } from './books.ts'

export const explainBalance = async (
  { db, books, catalogue, chains, merchants }: Simulation,
  name: string,
  ticker: string,
): Promise<string[]> => {
  const merchantId = merchants.find((one) => one.name === name)!.id
  const { rows: deposits } = await sql<{
    transaction: string
    index: string
    units: string
    state: string
    internal: boolean
    height: string | null
  }>`select transaction, index, units::text, state, internal, block_height::text as height from deposits
    where merchant_id = ${merchantId} and asset = ${ticker}`.execute(db)
  const { rows: withdrawals } = await sql<{
    localId: string | null
    units: string
    fee: string
    state: string
  }>`select local_id as "localId", units::text, fee_units::text as fee, state from withdrawals
    where merchant_id = ${merchantId} and ticker = ${ticker}`.execute(db)
  const lines = [`${name} ${ticker}, the program's deposits without a payment of the model, and the other way round:`]
  const known = new Set<string>()
  for (const paid of books.paidIn.filter((one) => one.merchant === name && one.ticker === ticker)) {
    const chain = chains.find(({ network }) => network === paid.network)!
    const state = await chain.transaction(paid.hash)
    const rows = deposits.filter(({ transaction }) => transaction === paid.hash)
    for (const { transaction, index } of rows) known.add(`${transaction} ${index}`)
    const credited = rows.filter((row) => row.state === 'credited').map(({ units }) => units)
    const wanted =
      state === 'mined' ? paid.units.map((units) => String(toLedger(catalogue, ticker, paid.network, units))) : []
    if (credited.join() !== wanted.join())
      lines.push(
        `  ${paid.network} ${paid.hash} to ${paid.address}: ${state} ${wanted.join()}; ${JSON.stringify(rows)}`,
      )
  }
  for (const row of deposits)
    if (!known.has(`${row.transaction} ${row.index}`)) lines.push(`  deposit ${JSON.stringify(row)}`)
  for (const row of withdrawals) {
    const paid = books.paidOut.find(({ localId }) => localId === row.localId)
    if (paid === undefined || row.state !== 'done')
      lines.push(`  withdrawal ${JSON.stringify(row)}${paid?.receiver === null ? '' : ` to ${paid?.receiver}`}`)
  }
  return lines
}
