/** A real EVM node for development: Ethereum's rules, no peers, blocks on demand or at an interval. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../process/child.ts'
import { endProcess } from '../process/end.ts'
import { isRunning } from '../process/identity.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import { freePort, requireFreePort } from '../process/port.ts'
import { forgetProcess, recordedProcess, recordProcess } from '../process/record.ts'
import { rpcClient } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import { findAnvil } from './binary.ts'
import { keepState, stateToLoad } from './state.ts'

export interface AnvilOptions {
  /** For messages, such as `anvil-ethereum`. */
  readonly name: string
  /** A private one: a transaction signed for 1 or 56 would be valid on the real chain. */
  readonly chainId: number
  /** 0: any free port. */
  readonly port: number
  /** The setting for another port, named in the message when the port is in use. */
  readonly portSetting?: string
  /** The file of the chain. Absent: the chain ends with the process. */
  readonly stateFile?: string
  readonly logFile: string
  /** Seconds between blocks. Absent: blocks come by `evm_mine` or `anvil_mine` only. */
  readonly blockTime?: number
  /** The rules of the chain, such as `cancun`. Default: anvil's newest. */
  readonly hardfork?: string
  /** Base fee of the first block, in wei. Default: anvil's. 0 makes it BSC-like. */
  readonly baseFee?: bigint
  /** `safe` is this many blocks behind the head, `finalized` twice as many. */
  readonly slotsInEpoch: number
}

export interface Anvil extends ProcessIdentity {
  readonly url: string
  readonly port: number
  readonly rpc: Rpc
  /** True when the node was already running, left by a process that was killed. */
  readonly adopted: boolean
  stop(): Promise<void>
}

/** How many blocks back the node can trace, reorganise and answer calls. */
const stateLimit = 500
const readyWaitMs = 120_000

/** Throws PortInUse, or an Error with the end of the node's log. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const record = options.stateFile === undefined ? undefined : `${options.stateFile}.process.json`
  const left = record === undefined ? undefined : recordedProcess(record)
  if (left !== undefined && (await isOurs(options))) return handle(options, options.port, left, record, true)
  if (left !== undefined) await end(left)
  if (options.port !== 0) await requireFreePort(options.port, options.name, options.portSetting)
  const port = options.port === 0 ? await freePort() : options.port
  const child = await startChild({ file: findAnvil(), args: argumentsFor(options, port), logFile: options.logFile })
  if (record !== undefined) recordProcess(record, child)
  const rpc = rpcClient(urlOf(port))
  const deadline = performance.now() + readyWaitMs
  while (!(await answers(rpc, options.chainId))) {
    if (!isRunning(child)) throw new Error(`${options.name} ended while starting:\n${child.tail()}`)
    if (performance.now() > deadline)
      throw new Error(`${options.name} was not ready within ${readyWaitMs} ms:\n${child.tail()}`)
    await sleep(10)
  }
  return handle(options, port, child, record, false)
}

function handle(
  options: AnvilOptions,
  port: number,
  { pid, startedAt }: ProcessIdentity,
  record: string | undefined,
  adopted: boolean,
): Anvil {
  const rpc = rpcClient(urlOf(port))
  const keeper = options.stateFile === undefined ? undefined : keepState(rpc, options.stateFile)
  return {
    pid,
    startedAt,
    url: urlOf(port),
    port,
    rpc,
    adopted,
    stop: async () => {
      await keeper?.close()
      await end({ pid, startedAt })
      if (record !== undefined) forgetProcess(record)
    },
  }
}

function argumentsFor(options: AnvilOptions, port: number): string[] {
  const state = options.stateFile === undefined ? undefined : stateToLoad(options.stateFile)
  return [
    '--host=127.0.0.1',
    `--port=${port}`,
    `--chain-id=${options.chainId}`,
    `--slots-in-an-epoch=${options.slotsInEpoch}`,
    // Otherwise any page that is open in a browser could use the node.
    '--no-cors',
    '--quiet',
    // Without a number, states past the newest 500 pile up on disk under the user's home.
    `--prune-history=${stateLimit}`,
    options.blockTime === undefined ? '--no-mining' : `--block-time=${options.blockTime}`,
    ...(options.baseFee === undefined ? [] : [`--block-base-fee-per-gas=${options.baseFee}`]),
    ...(options.hardfork === undefined ? [] : [`--hardfork=${options.hardfork}`]),
    ...(state === undefined ? [] : [`--load-state=${state}`]),
  ]
}

async function isOurs(options: AnvilOptions): Promise<boolean> {
  return options.port !== 0 && (await answers(rpcClient(urlOf(options.port), { timeoutMs: 2_000 }), options.chainId))
}

async function answers(rpc: Rpc, chainId: number): Promise<boolean> {
  try {
    return Number(await rpc<string>('eth_chainId')) === chainId
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
