import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { LogDiverged, requireSameLog, runReplicationCommand } from './following.ts'
import { ProgramFailed, type Programs } from './programs.ts'
import { mayAcknowledge } from './standby-names.ts'
import { advanceSlot, startReceiving } from './wal.ts'

/** Pause before the next attempt, ms: a failover takes seconds. */
const PAUSE_MS = 2_000
/** How often the receiver asks whether the server counts it, ms. */
const LOOK_MS = 5_000

/** Time that pg_receivewal has to end after a stop, ms. Then it is killed. */
const END_MS = 10_000

/** What pg_receivewal prints of the server's refusal (src/backend/replication/walsender.c). */
const REMOVED = /requested WAL segment \S+ has already been removed/

/**
 * Receives the write-ahead log until the signal. When the connection ends it starts again, also from a server that was
 * promoted meanwhile: the replication slot is made there, and the log goes on with the new timeline. Throws LogDiverged
 * when the log can't go on without a hole, or when the new primary lacks what was received.
 * @param note gets each reason of a new attempt
 */
export const receiveLog = async (
  of: Programs,
  source: { url: string; folder: string; name: string },
  { signal, note }: { signal: AbortSignal; note: (text: string) => void },
): Promise<void> => {
  const programs = { ...of, signal }
  while (!signal.aborted) {
    try {
      await requireSameLog(programs, source.url, source.folder)
      const printed = await receiveOnce(programs, source, { signal, note })
      const removed = REMOVED.exec(printed)?.[0]
      if (removed !== undefined)
        throw new LogDiverged(
          `${removed}: the received log would have a hole. Rename ${source.folder}, start this again, and run \`bursar backup\` at once: until then no later moment can be restored`,
        )
    } catch (error) {
      if (!(error instanceof ProgramFailed)) throw error
      if (!signal.aborted) note(error.message)
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
}

/** Whether the server counts the receiver by its name. */
const isNamed = async (programs: Programs, { url, name }: { url: string; name: string }): Promise<boolean> =>
  mayAcknowledge(await runReplicationCommand(programs, url, 'SHOW synchronous_standby_names'), name)

/** @returns the end of what pg_receivewal printed */
const receiveOnce = async (
  programs: Programs,
  source: { url: string; folder: string; name: string },
  { signal, note }: { signal: AbortSignal; note: (text: string) => void },
): Promise<string> => {
  const isStandby = await isNamed(programs, source)
  const child = await startReceiving(programs, { ...source, isStandby })
  let late: NodeJS.Timeout | undefined
  const stop = (): void => {
    child.kill('SIGINT')
    late ??= setTimeout(() => child.kill('SIGKILL'), END_MS)
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let printed = ''
  child.stderr!.on('data', (part: Buffer) => {
    printed = (printed + part.toString('utf8')).slice(-8_000)
    note(part.toString('utf8').trimEnd())
  })
  const closed = new AbortController()
  let failure: unknown
  const looking = (async () => {
    while (await sleep(LOOK_MS, true, { signal: closed.signal }).catch(() => false)) {
      try {
        if ((await isNamed(programs, source)) !== isStandby) stop()
        else if (!isStandby) await advanceSlot(programs, source.url, source.folder)
      } catch (error) {
        if (!(error instanceof ProgramFailed)) failure = error
        else if (!signal.aborted) note(error.message)
        if (failure !== undefined) return stop()
      }
    }
    return false
  })()
  await once(child, 'close')
  clearTimeout(late)
  closed.abort()
  await looking
  signal.removeEventListener('abort', stop)
  if (failure !== undefined) throw failure
  return printed
}
