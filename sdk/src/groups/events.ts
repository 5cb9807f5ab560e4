import type { Call, CallOptions } from '../call.ts'

/** The start and the maximum length of a page of notifications. */
export interface EventRange {
  /** The position after which the page starts: 0 for the beginning, then the `next` of the previous page. */
  readonly after: number
  /** 1 to 1000; default: 100. */
  readonly limit?: number | undefined
}

export const events = (call: Call) => ({
  /** Returns the notifications after a position, whether delivered or not. */
  list: ({ after, limit }: EventRange, options?: CallOptions) =>
    call('listEvents', { query: { after: String(after), limit: limit?.toString() } }, options),
})
