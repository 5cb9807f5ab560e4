/** A component of the sandbox that was started: a process, or a part of this one. */
import type { Exit } from './process/child.ts'
import type { ProcessIdentity } from './process/identity.ts'

/** A started component. One with a pid is monitored; one without is part of this process. */
export interface Running extends Partial<ProcessIdentity> {
  readonly logFile?: string
  readonly adopted?: boolean
  /** How the process ended; absent if another process started it. */
  readonly exited?: Promise<Exit>
  stop(): Promise<void>
}
