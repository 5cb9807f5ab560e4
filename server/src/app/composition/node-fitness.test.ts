import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import type { NodeStatus } from '../../adapters/chains/index.ts'
import type { Finding } from '../../adapters/chains/survey/index.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createNodeFitnessJob, createNodeStatusJob, requireFitNode, type NodeLook } from './node-fitness.ts'

const { db } = useDb()
let findings: Finding[]
beforeEach(async () => {
  findings = []
  await sql`truncate alerts cascade`.execute(db)
})

const look = (): NodeLook => {
  const runtime: Runtime = {
    db,
    clock: createClock(),
    newId: () => uuidv7(Date.now(), randomBytes(10)),
    log: pino({ enabled: false }),
  }
  return { runtime, role: 'watcher', survey: async () => [{ name: 'node:8332', findings }], quorumOf: () => 1 }
}
const alerts = async () =>
  (
    await sql<{
      line: string
    }>`select subject || ': ' || text || case when resolved_at is null then '' else ' (over)' end as line from alerts order by raised_at`.execute(
      db,
    )
  ).rows.map(({ line }) => line)
const NO_INDEX: Finding = {
  about: 'txindex',
  verdict: 'unfit',
  text: 'the node has no index of transactions',
  change: 'Set txindex=1 in bitcoin.conf',
  neededBy: ['watcher'],
}
const LACKS =
  'the watcher does not work with the node of BITCOIN: txindex: the node has no index of transactions. Set txindex=1 in bitcoin.conf'

test('audit D-B5: a network whose node is unfit for the role waits, with an alert that says the remedy, until it is fit', async () => {
  findings = [NO_INDEX]
  await expect(requireFitNode(look(), 'BITCOIN')).rejects.toThrow(LACKS)
  await expect(requireFitNode(look(), 'BITCOIN')).rejects.toThrow('Set txindex=1')
  expect(await alerts()).toEqual([`BITCOIN watcher: ${LACKS}`])
  findings = [{ ...NO_INDEX, verdict: 'unknown', text: 'no answer', neededBy: [] }]
  await requireFitNode(look(), 'BITCOIN')
  expect(await alerts()).toEqual([`BITCOIN watcher: ${LACKS}`])
  findings = [{ ...NO_INDEX, verdict: 'good', neededBy: [] }]
  await requireFitNode(look(), 'BITCOIN')
  expect(await alerts()).toEqual([`BITCOIN watcher: ${LACKS} (over)`])
})

test('the job of a role looks at every network, also after one that fails', async () => {
  const asked: string[] = []
  const job = createNodeFitnessJob(
    {
      ...look(),
      survey: async (network) => {
        asked.push(network)
        if (network === 'TRON') throw new Error('broken')
        return [{ name: 'node:8332', findings: [NO_INDEX] }]
      },
    },
    ['TRON', 'BITCOIN'],
  )
  await expect(job.run(new AbortController().signal)).rejects.toThrow('broken')
  expect(asked).toEqual(['TRON', 'BITCOIN'])
  expect(await alerts()).toEqual([`BITCOIN watcher: ${LACKS}`])
})

test('a network of several nodes is followed while a quorum of them is fit, and the alert names the others', async () => {
  const unfit = { name: 'second:8332', findings: [NO_INDEX] }
  const nodes = [{ name: 'first:8332', findings: [] }, unfit, { name: 'third:8332', findings: [] }]
  await requireFitNode({ ...look(), survey: async () => nodes, quorumOf: () => 2 }, 'BITCOIN')
  const named = LACKS.replace('txindex:', 'second:8332: txindex:')
  expect(await alerts()).toEqual([`BITCOIN watcher: ${named}`])
  const alone = { ...look(), survey: async () => nodes, quorumOf: () => 3 }
  await expect(requireFitNode(alone, 'BITCOIN')).rejects.toThrow('second:8332')
})

test('a node of several that is left out has an alert until it is used again', async () => {
  let statuses: NodeStatus[] = [
    { node: 'first:8332', status: 'good', detail: '' },
    { node: 'second:8332', status: 'behind', detail: 'it is 12 blocks behind' },
  ]
  const job = createNodeStatusJob(look().runtime, new Map([['BITCOIN', { statuses: () => statuses }]]))
  const run = () => job.run(new AbortController().signal)
  await run()
  await run()
  const text = 'BITCOIN second:8332: the node is left out: it is 12 blocks behind'
  expect(await alerts()).toEqual([text])
  statuses = statuses.map((one) => ({ ...one, status: 'good', detail: '' }))
  await run()
  expect(await alerts()).toEqual([`${text} (over)`])
})
