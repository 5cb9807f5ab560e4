/**
 * A TRON chain for development: one node that speaks java-tron's HTTP API, in this process or as a program (main.ts).
 *
 * ## Scope Transactions are real protobuf bytes, hashed and verified by their secp256k1 signatures. Contracts run on a
 * real EVM with TRON's prices. Bandwidth, energy, fees, staking, lending of resources (Stake 2.0), reference blocks and
 * expiration follow java-tron's rules and words. Blocks carry the waiting transactions; those with `solidLag` blocks
 * upon them are solid, and /walletsolidity shows those. The chain is stored in `folder`, and is the same after a
 * restart, also after kill -9.
 *
 * ## Controls: POST /sandbox/NAME with a JSON object
 * | name | body | does |
 * |---|---|---|
 * | status | (GET too) | height, newest and solid block, waiting transactions, the known accounts with their keys, the
 * tokens |
 * | mine | `{blocks?}` | makes blocks |
 * | reorg | `{depth, without?, others?}` | replaces the newest blocks by one more; `without`: ids to forget
 * any more; `others`: `mined` (in the new branch too), `pending`, `forgotten` |
 * | fund | `{ticker, to, amount}` | pays TRX or a token from the faucet; the transaction waits for a block |
 * | advance | `{ms}` | moves the chain's clock forward and makes a block |
 * | parameters | `{getEnergyFee: 210, ...}` | changes chain parameters with a block of its own |
 * | hold | `{on}` | blocks are made without waiting transactions, until it is switched off |
 * | node | `{supportConstant: false, ...}` | changes how the node is configured and fares (http/settings.ts), until it
 * restarts |
 * | forget | `{transactions}` | drops waiting transactions |
 *
 * ## Limits
 * **It proves compatibility with tronweb, not with java-tron**: no real node could be had here. Written from the wire
 * format, java-tron's sources of 2025 and what tronweb sends; energy of a token differs from that of the real USDT,
 * whose code is another. Absent: permissions beyond an account's own key, TRC-10, votes and witnesses' rewards,
 * TRON_POWER, each contract's own factor of dynamic energy, opcodes of stake but for freezing, unfreezing and lending,
 * CancelAllUnfreezeV2, changes of a contract's settings, TRON's own precompiles and opcodes, the public free bandwidth
 * of the whole network, the 1/64 that old contracts may keep of a call's energy, the event API of TronGrid, gRPC,
 * peers. Internal transactions have hashes of their own kind. `raw_data.scripts` and unknown fields are dropped before
 * hashing. Machine time is not limited (no OUT_OF_TIME). A transaction that refers to an orphaned block can't come
 * back: as on the real chain.
 */
import { takingTurns } from '../chains/turns.ts'
import { requireFreePort } from '../process/port.ts'
import { addressOf } from './address.ts'
import { openBranch } from './blocks/branch.ts'
import { openChain } from './blocks/chain.ts'
import { openControls } from './controls.ts'
import type { TronControls } from './controls.ts'
import { controlRoutes } from './http/control.ts'
import { serveTron } from './http/server.ts'
import { openNodeState } from './http/settings.ts'
import type { NodeSettings } from './http/settings.ts'
import type { ParameterValues } from './resources/parameters.ts'
import { openLog } from './store/log.ts'
import { beginChain } from './store/replay.ts'
import { createMachine } from './vm/machine.ts'

export { deployer, faucet, tokenAddress } from './blocks/genesis.ts'
export { base58Of } from './address.ts'

export interface TronChainOptions {
  /** 0: any free port. */
  readonly port: number
  /** For the message when the port is taken. */
  readonly portSetting?: string
  /** The folder of the chain. Absent: in memory only. */
  readonly folder?: string
  /** ms since 1970. Default: the system's. */
  readonly clock?: () => number
  /** Makes a block each so many ms. Default 0: only on demand. */
  readonly intervalMs?: number
  /** Makes a block for each transaction at once. */
  readonly automine?: boolean
  /** How many blocks make a block solid. Default 19. */
  readonly solidLag?: number
  /** ms between the times of two blocks, at least. Default 3,000. */
  readonly slotMs?: number
  /** For a new chain: other chain parameters, and accounts with their sun by address (base58 or hexadecimal). */
  readonly parameters?: Partial<ParameterValues>
  readonly accounts?: Readonly<Record<string, bigint>>
  /** How the node is configured, where it differs. */
  readonly node?: Partial<NodeSettings>
  readonly log?: (line: string) => void
}

export interface TronChain extends TronControls {
  readonly url: string
  readonly port: number
  /** The chain stays in its folder. */
  stop(): Promise<void>
}

/** Its own chain: tokens and signatures of real networks mean nothing here. */
const chainId = 31_195
const usualLag = 19
const usualSlotMs = 3_000

/** Throws PortInUse, and an Error when the folder's chain cannot be read. */
export const startTronChain = async (options: TronChainOptions): Promise<TronChain> => {
  const { clock = Date.now, slotMs = usualSlotMs, log = () => {} } = options
  // Before anything is written: anyone who has the port may have the folder too.
  if (options.port !== 0) await requireFreePort(options.port, 'the TRON chain', options.portSetting)
  const chainLog = openLog(options.folder)
  const machine = await createMachine(chainId)
  const branch = openBranch(options.solidLag ?? usualLag)
  const genesis = {
    timestamp: Math.floor(clock() / slotMs) * slotMs,
    parameters: options.parameters ?? {},
    accounts: Object.fromEntries(
      Object.entries(options.accounts ?? {}).map(([address, sun]) => [addressOf(address), sun]),
    ),
  }
  await beginChain(chainLog, branch, machine, genesis)
  // A chain that was moved ahead of the clock stays ahead.
  let ahead = Math.max(0, branch.head().timestamp - clock())
  const chain = openChain({ branch, machine, log: chainLog, slotMs, clock: () => clock() + ahead })
  // tronweb cannot refer to block 0: java-tron's JSON leaves its number out.
  if (branch.height() === 0) await chain.mine()
  const advance = (ms: number): void => {
    ahead = Math.max(ahead, branch.head().timestamp - clock()) + ms
  }
  const inTurn = takingTurns()
  const node = openNodeState(options.node ?? {})
  const automine = options.automine === true
  const controls = openControls({ chain, machine, node, inTurn, automine, advance })
  const server = await serveTron({
    port: options.port,
    chain,
    machine,
    node,
    inTurn,
    log,
    taken: async () => (automine ? controls.mine() : undefined),
    controls: controlRoutes(controls),
  })
  const timer = mineAtIntervals(options.intervalMs ?? 0, controls, log)
  return {
    ...controls,
    url: server.url,
    port: server.port,
    stop: async () => {
      clearInterval(timer)
      await server.stop()
      await inTurn(async () => chainLog.close())
    },
  }
}

const mineAtIntervals = (
  intervalMs: number,
  controls: TronControls,
  log: (line: string) => void,
): NodeJS.Timeout | undefined => {
  if (intervalMs <= 0) return undefined
  let busy = false
  return setInterval(() => {
    if (busy) return
    busy = true
    controls
      .mine()
      .catch((error: unknown) =>
        log(`tron: no block was made: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
      )
      .finally(() => {
        busy = false
      })
  }, intervalMs)
}
