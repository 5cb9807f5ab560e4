/** The world around the platform: its database, the chains with their tokens, and the merchants' webhook inbox. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startAnvil } from './anvil/index.ts'
import type { Anvil } from './anvil/index.ts'
import { findBitcoind, startBitcoind } from './bitcoind/index.ts'
import type { Bitcoind } from './bitcoind/index.ts'
import { openBitcoin } from './chains/bitcoin.ts'
import type { SandboxChain } from './chains/chain.ts'
import { openEvm } from './chains/evm.ts'
import type { EvmAsset } from './chains/evm.ts'
import { startInbox } from './inbox/index.ts'
import type { Inbox } from './inbox/index.ts'
import { startMiner } from './miner.ts'
import type { Pace } from './miner.ts'
import { startPostgres } from './postgres/index.ts'
import { portVariables } from './settings.ts'
import type { SandboxSettings } from './settings.ts'
import type { Supervisor } from './supervise.ts'
import { ensureTokens } from './tokens/index.ts'
import type { TokenSpec } from './tokens/index.ts'

export interface World {
  readonly databaseUrl: string
  /** Absent when this machine has no bitcoind. */
  readonly bitcoin?: { readonly node: Bitcoind; readonly chain: SandboxChain }
  readonly ethereum: EvmWorld
  readonly bsc: EvmWorld
  readonly inbox: Inbox
  readonly chains: readonly SandboxChain[]
}

export interface EvmWorld {
  readonly node: Anvil
  readonly chain: SandboxChain
  readonly assets: readonly EvmAsset[]
}

interface EvmSpec {
  readonly name: 'ethereum' | 'bsc'
  readonly blockchain: string
  readonly chainId: number
  readonly baseFee?: bigint
  readonly coin: string
  readonly tokens: readonly TokenSpec[]
}

/** Private chain ids; decimals as on the real chains. On Ethereum USDT's transfers return nothing and USDC takes signatures, on BSC both are plain. */
const ethereum: EvmSpec = {
  name: 'ethereum',
  blockchain: 'ETHEREUM',
  chainId: 31_337,
  coin: 'ETH',
  tokens: [
    { contract: 'UsdtLike', name: 'Sandbox Tether USD', symbol: 'USDT', decimals: 6 },
    { contract: 'UsdcLike', name: 'Sandbox USD Coin', symbol: 'USDC', decimals: 6 },
  ],
}
const bsc: EvmSpec = {
  name: 'bsc',
  blockchain: 'BINANCE_SMART_CHAIN',
  chainId: 31_356,
  baseFee: 0n,
  coin: 'BNB',
  tokens: [
    { contract: 'TestToken', name: 'Sandbox Tether USD', symbol: 'USDT', decimals: 18 },
    { contract: 'TestToken', name: 'Sandbox USD Coin', symbol: 'USDC', decimals: 18 },
  ],
}

/** Starts all of it. Without a bitcoind it says why and goes on. */
export async function startWorld(
  supervisor: Supervisor,
  settings: SandboxSettings,
  log: (line: string) => void,
): Promise<World> {
  for (const folder of ['logs', 'bitcoin', 'ethereum', 'bsc'])
    mkdirSync(join(settings.dir, folder), { recursive: true })
  const databaseUrl = await startDatabase(supervisor, settings, log)
  const bitcoin = await startBitcoin(supervisor, settings, log)
  const eth = await startEvm(supervisor, settings, ethereum, log)
  const bnb = await startEvm(supervisor, settings, bsc, log)
  const inbox = await supervisor.start('webhook inbox', () =>
    startInbox({
      port: settings.ports.inbox,
      portSetting: portVariables.inbox,
      file: join(settings.dir, 'inbox.jsonl'),
      log,
    }),
  )
  const chains = [...(bitcoin === undefined ? [] : [bitcoin.chain]), eth.chain, bnb.chain]
  return { databaseUrl, ...(bitcoin === undefined ? {} : { bitcoin }), ethereum: eth, bsc: bnb, inbox, chains }
}

async function startDatabase(
  supervisor: Supervisor,
  settings: SandboxSettings,
  log: (line: string) => void,
): Promise<string> {
  if (settings.databaseUrl !== undefined) return settings.databaseUrl
  const logFile = join(settings.dir, 'logs', 'postgres.log')
  const server = await supervisor.start('postgres', () =>
    startPostgres({ dataDir: join(settings.dir, 'postgres'), logFile, log }),
  )
  return server.url
}

async function startBitcoin(
  supervisor: Supervisor,
  settings: SandboxSettings,
  log: (line: string) => void,
): Promise<World['bitcoin']> {
  const found = await findBitcoind({ log })
  if (!('program' in found)) {
    log(`bitcoind                 absent: ${found.missing}`)
    return undefined
  }
  const logFile = logFileOf(settings, 'bitcoind')
  const node = await supervisor.start('bitcoind', async () => {
    const started = await startBitcoind({
      program: found.program,
      dataDir: join(settings.dir, 'bitcoin'),
      logFile,
      rpcPort: settings.ports.bitcoin,
      rpcPortSetting: portVariables.bitcoin,
    })
    return { ...started, logFile }
  })
  const { chain } = await startBlocks(supervisor, 'bitcoin blocks', settings.pace.bitcoin, log, async () => ({
    chain: await openBitcoin(node),
  }))
  return { node, chain }
}

async function startEvm(
  supervisor: Supervisor,
  settings: SandboxSettings,
  spec: EvmSpec,
  log: (line: string) => void,
): Promise<EvmWorld> {
  const name = `anvil-${spec.name}`
  const logFile = logFileOf(settings, name)
  const node = await supervisor.start(name, async () => {
    const started = await startAnvil({
      name,
      chainId: spec.chainId,
      slotsInEpoch: 1,
      logFile,
      port: settings.ports[spec.name],
      portSetting: portVariables[spec.name],
      ...(spec.baseFee === undefined ? {} : { baseFee: spec.baseFee }),
      stateFile: join(settings.dir, spec.name, 'state.json'),
    })
    return { ...started, logFile }
  })
  const { chain, assets } = await startBlocks(
    supervisor,
    `${spec.name} tokens, blocks`,
    settings.pace[spec.name],
    log,
    async () => {
      const tokens = await ensureTokens(node.rpc, spec.tokens)
      const assets = [
        { ticker: spec.coin, decimals: 18 },
        ...spec.tokens.map(({ symbol, decimals }) => ({
          ticker: symbol,
          decimals,
          token: tokens.get(symbol) as string,
        })),
      ]
      return { chain: openEvm({ blockchain: spec.blockchain, rpc: node.rpc, assets }), assets }
    },
  )
  return { node, chain, assets }
}

/** A node that runs is made ready, and finds blocks from then on. */
async function startBlocks<T extends { readonly chain: SandboxChain }>(
  supervisor: Supervisor,
  name: string,
  pace: Pace,
  log: (line: string) => void,
  prepare: () => Promise<T>,
): Promise<T> {
  const { prepared } = await supervisor.start(name, async () => {
    const ready = await prepare()
    return { prepared: ready, ...startMiner(ready.chain, pace, log) }
  })
  return prepared
}

function logFileOf(settings: SandboxSettings, name: string): string {
  return join(settings.dir, 'logs', `${name}.log`)
}
