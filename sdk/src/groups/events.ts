import type { Call, CallOptions } from '../call.ts'

/** Where a page of notifications begins, and how long it is at most. */
export interface EventRange {
  /** Position to start behind: 0 for the beginning, then the `next` of the page before. */
  readonly after: number
  /** 1 to 1000, 100 when absent. */
  readonly limit?: number | undefined
}

export const events = (call: Call) => ({
  /** Notifications after a position, delivered or not. */
  list: ({ after, limit }: EventRange, options?: CallOptions) =>
    call('listEvents', { query: { after: String(after), limit: limit?.toString() } }, options),
})
