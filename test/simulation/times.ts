/** How long the parts of a run take, in real time and in processor time. */
import { readdirSync, readFileSync } from 'node:fs'

/** How often something has happened, and how long it took in all, ms of real time. */
export interface Time {
  runs: number
  ms: number
}

/** By the name of a part. */
export type Times = Map<string, Time>

export const timed = async <T>(times: Times, name: string, work: () => Promise<T>): Promise<T> => {
  const began = performance.now()
  try {
    return await work()
  } finally {
    const { runs, ms } = times.get(name) ?? { runs: 0, ms: 0 }
    times.set(name, { runs: runs + 1, ms: ms + performance.now() - began })
  }
}

/** A tick of `/proc/PID/stat` (proc(5)), ms: Linux has 100 in a second on every machine that runs Node. */
const TICK_MS = 10

/**
 * Processor time by program, ms: that of this process, and of each running process that it has started, with all below
 * it. Where there is no `/proc`, that of this process alone.
 */
export const processorTimes = (): Map<string, number> => {
  const { user, system } = process.cpuUsage()
  const times = new Map([['this process, with Hardhat', (user + system) / 1_000]])
  const all = runningProcesses()
  const addBelow = (parent: number): void => {
    for (const one of all)
      if (one.parent === parent) {
        times.set(one.name, (times.get(one.name) ?? 0) + one.own + one.ended)
        addBelow(one.id)
      }
  }
  addBelow(process.pid)
  return times
}

interface Running {
  id: number
  parent: number
  name: string
  /** ms */
  own: number
  /** of those that it started and that have ended, ms */
  ended: number
}

const runningProcesses = (): Running[] => {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readRunning(Number(name)) : []))
  } catch {
    return []
  }
}

/** Fields 4 and 14 to 17, after the name in brackets, which may contain anything. */
const readRunning = (id: number): Running[] => {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const ticks = fields.slice(11, 15).map(Number)
    return [
      {
        id,
        parent: Number(fields[1]),
        name: stat.slice(stat.indexOf('(') + 1, end),
        own: (ticks[0]! + ticks[1]!) * TICK_MS,
        ended: (ticks[2]! + ticks[3]!) * TICK_MS,
      },
    ]
  } catch {
    // It has ended meanwhile.
    return []
  }
}
