import { forEachIsolated } from '../../platform/jobs/index.ts'

/** How a part of a role is stopped. */
export type Stop = () => Promise<void>

/** Says how to stop what has been started, before anything else can fail. */
export type Started = (stop: Stop) => void

/**
 * Runs what `start` starts until `ended` settles, then stops it all, the last first. When a part does not start, or
 * `ended` rejects, what was started is stopped the same way, and the error is thrown. A part that can't be stopped
 * keeps no other from it.
 */
export const runParts = async (
  start: (started: Started) => Promise<void>,
  ended: Promise<void>,
  onStopping: () => void,
): Promise<void> => {
  const stops: Stop[] = []
  try {
    await start((stop) => stops.push(stop))
    await ended
  } finally {
    onStopping()
    await forEachIsolated(stops.toReversed(), (stop) => stop())
  }
}
