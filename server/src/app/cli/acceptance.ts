import { createAdapters } from '../../adapters/chains/index.ts'
import { watchStatus } from '../../chain/watcher/index.ts'
import { liftStop, listStops } from '../../ledger/stops/index.ts'
import { acceptLost, listLost, listRepeats } from '../../pay-out/withdrawals/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { openAlerts } from '../../platform/runtime/alerts.ts'
import { acceptRestores, openRestore, type OpenRestore } from '../../platform/runtime/restores.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { actor } from './recording.ts'
import { createAttaching } from './attaching.ts'
import { command, type Command } from './command.ts'
import type { Output } from './output.ts'
import { groupLost, placesOf, showHeld, showLost } from './lost-payments.ts'
import { replaySignerLog, type Replay } from './replay.ts'
import { RESTORED } from './restored.ts'
import { withSigner } from './signer.ts'
import { required, tokensOf, withInstallation, type Opened } from '../installation/open.ts'

/** Alerts about payments that may be made a second time, or that were made and are in no books. */
const MUST_END: ReadonlySet<string> = new Set(['withdrawal-signed-before', 'overtaken-unclear'])
/** The distance to the newest block at which a watcher counts as having read the chain. */
const MOST_BEHIND = 3

/** @throws Error if no restore waits for its acceptance */
const requireRestore = async ({ db }: Runtime): Promise<OpenRestore> => {
  const restore = await openRestore(db)
  if (!restore)
    throw new Error('no restored copy waits: `bursar restored` begins a recovery, docs/operating/recovery.md')
  return restore
}

const replay = async (opened: Opened): Promise<Replay> => {
  const { log } = await requireRestore(opened.runtime)
  return withSigner(opened, (signer) =>
    replaySignerLog(
      {
        runtime: opened.runtime,
        catalogue: required(opened.config.assets, 'BURSAR_ASSETS_FILE'),
        signer,
        attach: createAttaching(opened, signer),
      },
      log,
    ),
  )
}

/** The reasons for which payments must not begin again, one sentence each; empty when there is none. */
export const obstaclesOf = async ({ db }: Pick<Runtime, 'db'>, restore: OpenRestore): Promise<string[]> => {
  const found: string[] = []
  if (restore.replayedLength === null)
    found.push("the signer's log was not compared with the books: `bursar restored replay`")
  for (const { network, height, headHeight, updatedAt } of await watchStatus(db)) {
    if (updatedAt <= restore.restoredAt) found.push(`${network}: no watcher has read a block since the restore`)
    else if (headHeight - height > MOST_BEHIND)
      found.push(`${network}: the watcher is at block ${height} of ${headHeight}: wait for it`)
  }
  for (const { kind, text } of await openAlerts(db)) if (MUST_END.has(kind)) found.push(`${kind}: ${text}`)
  return found
}

const showReport = async (opened: Opened, out: Output): Promise<void> => {
  const { runtime } = opened
  const restore = await requireRestore(runtime)
  const lost = await listLost(runtime.db)
  const obstacles = await obstaclesOf(runtime, restore)
  const lines = [
    `restored ${restore.restoredAt.toISOString()}; the copy knew ${restore.log.length} lines of the signer's log${restore.replayedLength === null ? '' : `, compared up to line ${restore.replayedLength}`}`,
    `${groupLost(lost).length} payment(s) of the signer's log have no withdrawal in the books`,
  ]
  out.show(
    {
      restoredAt: restore.restoredAt.toISOString(),
      copyKnew: restore.log.length,
      comparedUpTo: restore.replayedLength,
    },
    lines,
  )
  const { networks, assets } = opened.config
  const adapters = networks && assets ? createAdapters(networks, tokensOf(assets)) : new Map()
  showLost(await placesOf(runtime.db, groupLost(lost), adapters), out)
  showHeld(await listRepeats(runtime.db), out)
  for (const text of obstacles) out.add('obstacles', { text }, `wait  ${text}`)
  if (obstacles.length > 0) process.exitCode = 1
}

export const acceptanceCommands: readonly Command[] = [
  command({
    name: 'restored replay',
    summary: "compare the signer's log with a restored copy, and attach the payments that the copy lacks",
    more: 'Run it after `bursar restored`, and again after merchants have repeated their requests. It can be repeated at any time: it pays nothing.',
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const done = await replay(opened)
        out.show(
          {
            lines: done.lines,
            known: done.known,
            attached: done.attached,
            superseded: done.superseded,
            otherLost: done.otherLost,
          },
          [
            `${done.lines} line(s) of the signer's log since the copy; ${done.known} payment(s) are in the books`,
            `${done.attached.length} withdrawal(s) attached; ${done.superseded.length} intent(s) can never be mined and are paid again`,
            ...Object.entries(done.otherLost).map(
              ([purpose, count]) =>
                `${count} transaction(s) of purpose ${purpose} are not in the books: the watcher posts what they moved`,
            ),
          ],
        )
        showLost(groupLost(done.lost), out)
        showHeld(await listRepeats(opened.runtime.db), out)
        for (const { withdrawalId, why } of done.failed)
          out.add('failed', { withdrawalId, why }, `BAD   withdrawal ${withdrawalId} was not attached: ${why}`)
        if (done.failed.length > 0) process.exitCode = 1
      }),
  }),
  command({
    name: 'restored report',
    summary: 'show the payments that a restored copy lacks, and the reasons for which payments must wait',
    more: 'Exits with 1 while there is a reason to wait. The nodes are asked in which block each signed transaction is.',
    run: async (_given, env, out) => withInstallation(env, async (opened) => showReport(opened, out)),
  }),
  command({
    name: 'restored accept',
    summary: 'accept the books of a restored copy, and let payments begin again',
    args: ['REASON...'],
    irreversible:
      'Payments begin again. The payments that the report lists as lost stay out of the books until they are posted by an adjustment.',
    run: async ({ args: { REASON: reason } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        const { failed } = await replay(opened)
        const obstacles = await obstaclesOf(runtime, await requireRestore(runtime))
        for (const { withdrawalId, why } of failed)
          obstacles.push(`withdrawal ${withdrawalId} was not attached: ${why}`)
        if (obstacles.length > 0) throw new Error(['not accepted:', ...obstacles].join('\n  '))
        const lost = await acceptRestored(runtime, reason)
        out.say(`accepted; ${lost} lost payment(s) stay out of the books`)
      }),
  }),
]

/** Records the acceptance and lifts the stop. @returns the number of lost payments that no withdrawal has */
export const acceptRestored = async (runtime: Runtime, reason: string): Promise<number> => {
  const by = { actor: actor(), reason }
  const moment = momentOf(runtime)
  const lost = await inTransaction(runtime.db, async (tx) => {
    await acceptRestores(tx, by, new Date(runtime.clock.now()))
    return acceptLost(tx, moment.at)
  })
  for (const stop of await listStops(runtime.db))
    if (stop.reason === RESTORED) await liftStop(runtime.db, stop.id, by, moment.at)
  return lost
}
