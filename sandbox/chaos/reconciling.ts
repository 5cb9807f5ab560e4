/** `bursar reconcile` of the whole installation: the books, their invariants, and the addresses on every chain. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operator } from './operator.ts'

export interface Reconciled {
  /** Lines of the command that report a difference, or why it could not compare. */
  readonly problems: string[]
  readonly addresses: number
}

/** A network whose head moves or whose watcher is behind, and a venue that is slow, is compared in a later try. */
const MOST_TRIES = 30
const AGAIN_MS = 1_000

const AGREES = /: (ok|equal|compared \d+ address\(es\))$/

/** @param addresses `changed`: those that changed since they were last compared */
export async function reconcile(bursar: Operator, addresses: 'changed' | 'every'): Promise<Reconciled> {
  for (let tries = 1; ; tries += 1) {
    const { text, code } = await bursar('reconcile', ...(addresses === 'every' ? ['--full'] : []))
    const lines = text.split('\n').filter((line) => line !== '')
    const open = lines.filter((line) => line.includes("can't be compared"))
    if (open.length === 0 || tries === MOST_TRIES) {
      const compared = [...text.matchAll(/: compared (\d+) address/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      )
      return { problems: code === 0 ? open : lines.filter((line) => !AGREES.test(line)), addresses: compared }
    }
    await sleep(AGAIN_MS)
  }
}
