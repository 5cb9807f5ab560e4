export interface Job {
  name: string
  /** Pause in ms (real time) after a run that found nothing more to do. */
  everyMs: number
  /** A run that takes longer stands still, ms: an alert is raised. Five minutes when absent. */
  longestMs?: number
  /** Does a bounded piece of work; true when it is worth running again at once. */
  run(signal: AbortSignal): Promise<boolean>
}
