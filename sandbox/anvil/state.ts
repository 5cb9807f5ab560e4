/**
 * Makes a chain survive kill -9. anvil's own --state-interval rewrites its file in place, so that a kill may leave half
 * a file; here a complete file replaces it.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Rpc } from '../rpc.ts'

const inflate = promisify(gunzip)

/** A dump of a long chain takes time: at most this share of the time goes into it. */
const busyShare = 0.05
const shortestPauseMs = 500

export interface StateKeeper {
  /** Dumps a last time, with the history of states, and no more. */
  close(): Promise<void>
}

/** Writes the state to the file whenever the chain has changed. */
export function keepState(rpc: Rpc, file: string): StateKeeper {
  let known = ''
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const dump = async (): Promise<void> => {
    const head = await headOf(rpc)
    if (head === known) return
    await writeState(rpc, file, false)
    known = head
  }
  const tick = (): void => {
    const started = performance.now()
    // A node that is gone is the supervisor's matter; the file stays as it is.
    running = dump()
      .catch(() => {})
      .finally(() => {
        const took = performance.now() - started
        if (!closed) timer = setTimeout(tick, Math.max(shortestPauseMs, took / busyShare)).unref()
      })
  }
  tick()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await running
      await writeState(rpc, file, true).catch(() => {})
    },
  }
}

/** Returns the file to load, also after a kill between writing and renaming. */
export function stateToLoad(file: string): string | undefined {
  rmSync(`${file}.new`, { force: true })
  return existsSync(file) ? file : undefined
}

async function headOf(rpc: Rpc): Promise<string> {
  const [block, pool] = await Promise.all([
    rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false),
    rpc<{ pending: string }>('txpool_status'),
  ])
  return `${block.hash} ${pool.pending}`
}

/**
 * The dump has blocks, receipts, logs and the newest state, but not the pool. Older states, which tracing and
 * reorganising need, make it many times larger; only an orderly end writes them.
 */
async function writeState(rpc: Rpc, file: string, withHistory: boolean): Promise<void> {
  const zipped = await rpc<string>('anvil_dumpState', withHistory)
  const state = await inflate(Buffer.from(zipped.slice(2), 'hex'))
  const draft = await open(`${file}.new`, 'w')
  try {
    await draft.writeFile(state)
    await draft.sync()
  } finally {
    await draft.close()
  }
  renameSync(`${file}.new`, file)
}
