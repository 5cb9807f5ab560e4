const EVERY_MS = 60_000

/**
 * Reports refused answers: the first of each code at once, and then at most one a minute with the number of those
 * between, so that a client can't fill the log of the process by sending forms.
 */
export class RefusalReports {
  readonly #report: (code: string, message: string) => void
  readonly #now: () => number
  /** By code: the time of the last report (ms since the epoch), and the refusals since then */
  readonly #last = new Map<string, { at: number; more: number }>()

  /** @param now ms since the epoch */
  constructor(report: (code: string, message: string) => void, now: () => number) {
    this.#report = report
    this.#now = now
  }

  refused(code: string, message: string): void {
    const now = this.#now()
    const last = this.#last.get(code)
    // A clock that was set back must not silence the reports.
    if (last && Math.abs(now - last.at) < EVERY_MS) {
      last.more++
      return
    }
    const more = last && last.more > 0 ? ` (and ${last.more} more since ${new Date(last.at).toISOString()})` : ''
    this.#last.set(code, { at: now, more: 0 })
    this.#report(code, `${message}${more}`)
  }
}
