/**
 * Runs the development chain in a separate process, like the other nodes; a process that a killed sandbox left is
 * adopted.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../process/child.ts'
import { endProcess } from '../process/end.ts'
import { isRunning } from '../process/identity.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import { freePort, requireFreePort } from '../process/port.ts'
import { forgetProcess, recordedProcess, recordProcess } from '../process/record.ts'

export interface TronNodeOptions {
  /** 0: any free port. */
  readonly port: number
  /** The setting for another port, named in the message when the port is in use. */
  readonly portSetting?: string
  /** An existing folder, in which the chain is stored. */
  readonly dataDir: string
  readonly logFile: string
  /** How many blocks make a block solid. */
  readonly solidLag: number
}

export interface TronNode extends ProcessIdentity {
  /** `/wallet`, `/walletsolidity` and `/sandbox` are below it. */
  readonly url: string
  readonly port: number
  /** True when the node was already running, left by a process that was killed. */
  readonly adopted: boolean
  stop(): Promise<void>
}

const program = new URL('./main.ts', import.meta.url).pathname
/** A chain is carried out again from its beginning: a long one takes a while. */
const readyWaitMs = 120_000
/**
 * Minimum ms between the times of two blocks. With TRON's 3 s, blocks mined on demand would put the chain ahead of the
 * clock, and expirations, which follow the chain's time, beyond the limit that a signer applies by its own clock.
 */
const slotMs = 1

/** POST /sandbox/mine makes blocks. Throws PortInUse, or an Error with the end of the node's log. */
export async function startTronNode(options: TronNodeOptions): Promise<TronNode> {
  const record = join(options.dataDir, 'process.json')
  const left = recordedProcess(record)
  if (left !== undefined && options.port !== 0 && (await answers(options, options.port)))
    return handle(options.port, left, record, true)
  if (left !== undefined) await end(left)
  if (options.port !== 0) await requireFreePort(options.port, 'the TRON chain', options.portSetting)
  const port = options.port === 0 ? await freePort() : options.port
  const child = await startChild({
    file: process.execPath,
    args: argumentsFor(options, port),
    logFile: options.logFile,
  })
  recordProcess(record, child)
  const deadline = performance.now() + readyWaitMs
  while (!(await answers(options, port))) {
    if (!isRunning(child)) throw new Error(`the TRON chain ended while starting:\n${child.tail()}`)
    if (performance.now() > deadline)
      throw new Error(`the TRON chain was not ready within ${readyWaitMs} ms:\n${child.tail()}`)
    await sleep(20)
  }
  return handle(port, child, record, false)
}

function handle(port: number, { pid, startedAt }: ProcessIdentity, record: string, adopted: boolean): TronNode {
  return {
    pid,
    startedAt,
    url: urlOf(port),
    port,
    adopted,
    stop: async () => {
      await end({ pid, startedAt })
      forgetProcess(record)
    },
  }
}

function argumentsFor({ dataDir, solidLag }: TronNodeOptions, port: number): string[] {
  return [program, `--port=${port}`, `--data=${dataDir}`, `--solid-lag=${solidLag}`, `--slot=${slotMs}`]
}

/** Whether a chain with these settings is there. One that runs with another lag shows it once it is long enough. */
async function answers({ solidLag }: TronNodeOptions, port: number): Promise<boolean> {
  try {
    const response = await fetch(`${urlOf(port)}/sandbox/status`, { signal: AbortSignal.timeout(5_000) })
    const { height, solidHeight } = (await response.json()) as { height: number; solidHeight: number }
    return solidHeight === Math.max(0, height - solidLag)
  } catch {
    return false
  }
}

function end(identity: ProcessIdentity): Promise<void> {
  return endProcess(identity, [
    { signal: 'SIGTERM', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ])
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
