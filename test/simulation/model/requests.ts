/** Payouts by two people: none is made without an approval by another member, and each that was placed exists. */
import type { Bursar } from '@bursar/sdk'
import type { Member } from '../members/people.ts'
import type { PaidOut } from './books.ts'

/** A request of payouts by a member, known by the answer to its form. */
export interface Requested {
  id: string
  maker: Member
  /** as withdrawals, with the local ids that the dashboard gives them */
  lines: readonly PaidOut[]
  /** members other than the maker who may have approved it: their form was sent */
  approvers: Set<string>
  /** how it has ended, as far as an answer has said so */
  ended: 'approved' | 'withdrawn' | 'refused' | undefined
}

export const judgeRequest = async (
  client: Bursar,
  { id, maker, lines, approvers, ended }: Requested,
): Promise<string[]> => {
  const problems: string[] = []
  let found = 0
  for (const { localId } of lines) if ((await client.withdrawals.find(localId)) !== undefined) found += 1
  const what = `payout request ${id} of ${maker.name}`
  if (found > 0 && approvers.size === 0) problems.push(`${what}: is placed without an approval`)
  if (found > 0 && (ended === 'withdrawn' || ended === 'refused')) problems.push(`${what}: is placed, and was ${ended}`)
  if (lines.length === 1 && found === 0 && ended === 'approved')
    problems.push(`${what}: was approved, and has no withdrawal`)
  return problems
}
