import { forEachIsolated } from '../../platform/jobs/index.ts'

/** Stops a part of a role. */
export type Stop = () => Promise<void>

/** Registers how to stop each started part, before another can fail. */
export type Started = (stop: Stop) => void

/**
 * Runs the parts that `start` starts until `ended` settles, then stops them in reverse order. When a part does not
 * start, or `ended` rejects, everything is stopped in the same way and the error is thrown. A part that fails to stop
 * does not prevent the others from stopping.
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
