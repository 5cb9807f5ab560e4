/** The platform's environment: its database, the chains with their tokens, and the merchants' webhook inbox. */
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
import { openTron } from './chains/tron.ts'
import type { OpenedTron } from './chains/tron.ts'
import { bsc, ethereum } from './evm-specs.ts'
import type { EvmSpec } from './evm-specs.ts'
import { startInbox } from './inbox/index.ts'
import type { Inbox } from './inbox/index.ts'
import { startMailbox } from './mail/index.ts'
import type { Mailbox } from './mail/index.ts'
import { startMiner } from './miner.ts'
import type { Pace } from './miner.ts'
import { startPostgres } from './postgres/index.ts'
import { portVariables } from './settings.ts'
import type { SandboxSettings } from './settings.ts'
import type { Supervisor } from './supervise.ts'
import { ensureTokens } from './tokens/index.ts'
import { startTronNode } from './tron/node.ts'
import type { TronNode } from './tron/node.ts'

export interface World {
  readonly databaseUrl: string
  /** Absent when this machine has no bitcoind. */
  readonly bitcoin?: { readonly node: Bitcoind; readonly chain: SandboxChain }
  readonly ethereum: EvmWorld
  readonly bsc: EvmWorld
  readonly tron: TronWorld
  readonly inbox: Inbox
  readonly mailbox: Mailbox
  readonly chains: readonly SandboxChain[]
}

export interface EvmWorld {
  readonly node: Anvil
  readonly chain: SandboxChain
  readonly assets: readonly EvmAsset[]
}

export interface TronWorld extends OpenedTron {
  readonly node: TronNode
}

/** Starts all of it. Without a bitcoind it logs the reason and continues. */
export async function startWorld(
  supervisor: Supervisor,
  settings: SandboxSettings,
  log: (line: string) => void,
): Promise<World> {
  for (const folder of ['logs', 'bitcoin', 'ethereum', 'bsc', 'tron'])
    mkdirSync(join(settings.dir, folder), { recursive: true })
  const databaseUrl = await startDatabase(supervisor, settings, log)
  const bitcoin = await startBitcoin(supervisor, settings, log)
  const eth = await startEvm(supervisor, settings, ethereum, log)
  const bnb = await startEvm(supervisor, settings, bsc, log)
  const tron = await startTron(supervisor, settings, log)
  const mailbox = await supervisor.start('mailbox', () =>
    startMailbox({
      port: settings.ports.mail,
      portSetting: portVariables.mail,
      file: join(settings.dir, 'mail.jsonl'),
    }),
  )
  const inbox = await supervisor.start('webhook inbox', () =>
    startInbox({
      port: settings.ports.inbox,
      portSetting: portVariables.inbox,
      file: join(settings.dir, 'inbox.jsonl'),
      mails: mailbox.mails,
      log,
    }),
  )
  const chains = [...(bitcoin === undefined ? [] : [bitcoin.chain]), eth.chain, bnb.chain, tron.chain]
  return {
    databaseUrl,
    ...(bitcoin === undefined ? {} : { bitcoin }),
    ethereum: eth,
    bsc: bnb,
    tron,
    inbox,
    mailbox,
    chains,
  }
}

async function startDatabase(
  supervisor: Supervisor,
  settings: SandboxSettings,
  log: (line: string) => void,
): Promise<string> {
  if (settings.databaseUrl !== undefined) return settings.databaseUrl
  const logFile = join(settings.dir, 'logs', 'postgres.log')
  const server = await supervisor.keep('postgres', () =>
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

async function startTron(
  supervisor: Supervisor,
  settings: SandboxSettings,
  log: (line: string) => void,
): Promise<TronWorld> {
  const logFile = logFileOf(settings, 'tron')
  const node = await supervisor.start('tron', async () => {
    const started = await startTronNode({
      dataDir: join(settings.dir, 'tron'),
      logFile,
      port: settings.ports.tron,
      portSetting: portVariables.tron,
      solidLag: settings.tronSolidLag,
    })
    return { ...started, logFile }
  })
  const opened = await startBlocks(supervisor, 'tron blocks', settings.pace.tron, log, () => openTron(node.url))
  return { node, ...opened }
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
