/**
 * Longest pause of jobs that answer to commits, such as sending and delivering. A commit that makes work ends it, so
 * only retries and other work with a time of its own, and work whose announcement is lost, wait this long.
 */
export const IDLE_MS = 1_000

export interface Job {
  name: string
  /** Pause in ms (real time) after a run that found nothing more to do. */
  everyMs: number
  /**
   * Longest pause in ms (real time). Pauses grow from `everyMs` to it while runs find nothing and no commit announces
   * work. `everyMs` if absent. Work that begins at a time of its own, such as a retry, waits this long at most.
   */
  idleMs?: number
  /** A run that takes longer, in ms, counts as hanging and raises an alert. Five minutes when absent. */
  longestMs?: number
  /** Names of jobs that have work when a run of this one returned true: their pauses end. */
  wakes?: readonly string[]
  /** Does a bounded piece of work; true when it is worth running again at once. */
  run(signal: AbortSignal): Promise<boolean>
}
