import type { Network } from '@bursar/chainkit'
import type { Step } from './follower.ts'

/** How far a network has been read, for logs and metrics. */
export interface Progress {
  network: Network
  leading: boolean
  height: number
  head: number
  finalHeight: number
  /** over the last seconds; 0 at the head */
  blocksPerSecond: number
  /** until the head is reached at that pace; null at the head, or when nothing moves */
  etaSeconds: number | null
  /** ms, real time, since the chain last grew as far as we have read it */
  staleMs: number
  /** ms, real time, since a block last became final as far as we have read them */
  finalStaleMs: number
}

const WINDOW_MS = 10_000

/** Measures the pace of a follower. Times in ms of real time. */
export const createPace = (network: Network, now: number) => {
  let grewAt = now
  let finalGrewAt = now
  let last: Step | undefined
  const applied: { at: number; blocks: number }[] = []
  return {
    note: (step: Step, at: number): void => {
      if (step.applied > 0) {
        grewAt = at
        applied.push({ at, blocks: step.applied })
      }
      if (step.cursor.finalHeight > (last?.cursor.finalHeight ?? 0)) finalGrewAt = at
      while (applied[0] && applied[0].at < at - WINDOW_MS) applied.shift()
      last = step
    },
    progress: (leading: boolean, at: number): Progress => {
      const height = last?.cursor.height ?? 0
      const head = last?.head ?? 0
      const behind = Math.max(0, head - height)
      const recent = applied.filter((entry) => entry.at >= at - WINDOW_MS)
      const seconds = Math.max(1, (at - (recent[0]?.at ?? at)) / 1_000)
      const blocksPerSecond = recent.reduce((sum, { blocks }) => sum + blocks, 0) / seconds
      return {
        network,
        leading,
        height,
        head,
        finalHeight: last?.cursor.finalHeight ?? 0,
        blocksPerSecond,
        etaSeconds: behind === 0 || blocksPerSecond === 0 ? null : Math.ceil(behind / blocksPerSecond),
        staleMs: at - grewAt,
        finalStaleMs: at - finalGrewAt,
      }
    },
  }
}
