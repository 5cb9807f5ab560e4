import { formatUnits } from '../money/index.ts'
import { createAdapters } from '../adapters/chains/index.ts'
import { isNetwork } from '@bursar/chainkit'
import { createListeners, type World } from '../app.ts'
import { auditBooks, reconcileNetwork } from '../treasury/index.ts'
import { rescan } from '../watcher/index.ts'
import { print, UsageError, type Command } from './command.ts'
import { withInstallation } from './merchant.ts'
import { required, tokensOf, type Opened } from './open.ts'

const worldOf = ({ config, runtime, policies }: Opened): World => ({
  runtime,
  catalogue: required(config.assets, 'BURSAR_ASSETS_FILE'),
  policies,
  wallet: required(config.xpubs, 'BURSAR_XPUBS_FILE'),
})

export const booksCommands: readonly Command[] = [
  {
    name: 'reconcile',
    usage: 'reconcile',
    summary: 'hold entries against balances, hash chains, and custody against the chains',
    run: async (_args, env) =>
      withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const { catalogue } = worldOf(opened)
        const { findings, brokenSeal } = await auditBooks(runtime)
        for (const finding of findings) print(`${finding.check} ${finding.subject}: ${finding.detail}`)
        if (brokenSeal) print(`hash chain: account ${brokenSeal.accountId} breaks at version ${brokenSeal.version}`)
        let off = findings.length + (brokenSeal ? 1 : 0)
        const adapters = createAdapters(required(config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(catalogue))
        for (const adapter of adapters.values()) {
          const lines = await reconcileNetwork(runtime, catalogue, adapter)
          if (!lines) print(`${adapter.network}: can't be compared now (not read yet, or its head is moving); try again`)
          for (const { ticker, network, height, booked, onChain } of lines ?? []) {
            const { scale } = catalogue.findCrypto(ticker)!
            if (onChain !== booked) off += 1
            const difference = onChain === booked ? 'equal' : `DIFFERENCE ${formatUnits(onChain - booked, scale)}`
            print(`${network} ${ticker} at ${height}: books ${formatUnits(booked, scale)}, chain ${formatUnits(onChain, scale)}: ${difference}`)
          }
        }
        print(off === 0 ? 'the ledger holds, and the chains agree' : `${off} finding(s)`)
        if (off > 0) process.exitCode = 1
      }),
  },
  {
    name: 'rescan',
    usage: 'rescan NETWORK FROM TO',
    summary: 'read blocks again; always safe',
    run: async ([name, from, to], env) => {
      if (name === undefined || !isNetwork(name)) throw new UsageError('NETWORK is BITCOIN, ETHEREUM or BINANCE_SMART_CHAIN')
      const [first, last] = [Number(from), Number(to)]
      if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 0 || last < first) throw new UsageError('FROM and TO are heights')
      await withInstallation(env, async (opened) => {
        const world = worldOf(opened)
        const adapter = createAdapters(required(opened.config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(world.catalogue)).get(name)
        if (!adapter) throw new UsageError(`${name} is not configured`)
        const { listeners } = createListeners(world)
        const count = await rescan({ runtime: opened.runtime, network: name, adapter, listeners }, first, last)
        print(`read ${count} block(s) again`)
      })
    },
  },
]
