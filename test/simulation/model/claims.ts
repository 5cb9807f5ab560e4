/** Refunds of underpaid invoices: the claim says how its withdrawal ended, and its receiver got that amount. */
import type { Bursar } from '@bursar/sdk'
import type { Simulation } from '../simulation.ts'
import { receivedAt, unitsOf, type Claimed } from './books.ts'

/** The state of a claim by the state of its newest withdrawal. */
const STATE_BY: Readonly<Record<string, string>> = { Pending: 'APPROVED', Done: 'SENT', Failed: 'FAILED' }

/** @param add changes the balance that the merchant should have, ledger units */
export const judgeClaim = async (
  simulation: Simulation,
  client: Bursar,
  claimed: Claimed,
  add: (merchant: string, ticker: string, units: bigint) => void,
): Promise<string[]> => {
  const { catalogue } = simulation
  const { merchant, invoiceId, ticker } = claimed
  const what = `the refund of invoice ${invoiceId}`
  const received = await receivedAt(simulation, { ...claimed, address: claimed.to })
  const invoice = await client.invoices.crypto.get(invoiceId)
  const claim = 'claim' in invoice ? invoice.claim : undefined
  if (claim?.withdrawalId === undefined)
    return received === 0n ? [] : [`${what}: has no withdrawal, and paid ${received}`]
  const { status, amount, fee } = await client.withdrawals.crypto.get(claim.withdrawalId)
  const units = unitsOf(catalogue, ticker, amount)
  const problems: string[] = []
  if (STATE_BY[status] !== claim.status) problems.push(`${what}: is ${claim.status}, and its withdrawal is ${status}`)
  if (received !== (status === 'Done' ? units : 0n) && !(status === 'Pending' && received === units))
    problems.push(`${what}: is ${status} with ${units}, and paid ${received}`)
  if (status !== 'Failed') add(merchant, ticker, -units - unitsOf(catalogue, ticker, fee))
  return problems
}
