import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { raiseOrRenewAlert } from '../platform/alerts.ts'
import type { ChainListener } from './listener.ts'

const KIND = 'untraced-block'
/** Blocks so near to a range belong to it: to read those in between again costs little, and an alert for each block is read by nobody. */
const NEAR = 5_000

interface Range {
  /** network and the block that raised the alert; it stays, though the range grows */
  subject: string
  from: number
  to: number
}

const nothing = async (): Promise<Effects> => noEffects

/** Shows a person which blocks lack inner calls: money in them is found by a rescan on another node. One alert for a range, which grows. */
export const createUntracedAlarm = (): ChainListener => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    if (block.untraced !== true) return noEffects
    const { height } = block
    const open = await rangeNear(tx, network, height)
    if (open && open.from <= height && height <= open.to) return noEffects
    const from = Math.min(height, open?.from ?? height)
    const to = Math.max(height, open?.to ?? height)
    const which = from === to ? `block ${from}` : `blocks between ${from} and ${to}`
    const text =
      `The node of ${network} could not trace ${which}: native coin that contracts sent in them is not seen. ` +
      `Point the settings at a node that keeps the state and run \`bursar rescan ${network} ${from} ${to}\``
    await raiseOrRenewAlert(tx, { kind: KIND, subject: open?.subject ?? `${network}/${height}`, text, detail: { from, to } }, moment)
    return noEffects
  },
  orphaned: nothing,
  settled: nothing,
  mempool: nothing,
})

/** The open alert whose range a block belongs to. */
const rangeNear = async (tx: Tx, network: Network, height: number): Promise<Range | undefined> => {
  const { rows } = await sql<Range>`select subject, (detail->>'from')::bigint as "from", (detail->>'to')::bigint as "to" from alerts
    where kind = ${KIND} and resolved_at is null and subject like ${`${network}/%`} and (detail->>'from')::bigint <= ${height + NEAR} and (detail->>'to')::bigint >= ${height - NEAR}
    order by raised_at limit 1`.execute(tx)
  return rows[0]
}
