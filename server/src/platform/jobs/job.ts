export interface Job {
  name: string
  /** Pause in ms (real time) after a run that found nothing more to do. */
  everyMs: number
  /** A run that takes longer, in ms, counts as hanging and raises an alert. Five minutes when absent. */
  longestMs?: number
  /** Names of jobs that have work when a run of this one returned true: their pauses end. */
  wakes?: readonly string[]
  /** Does a bounded piece of work; true when it is worth running again at once. */
  run(signal: AbortSignal): Promise<boolean>
}
