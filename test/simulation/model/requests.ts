/** Payouts by two people: none is made without an approval by another member, and each that was placed exists. */
import type { Bursar } from '@bursar/sdk'
import type { Requested } from './books.ts'

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
