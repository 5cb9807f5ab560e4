import { sql } from 'kysely'
import { createAdapters, identityOf } from '../adapters/chains/index.ts'
import { connectSigner } from '../adapters/signer/index.ts'
import { describeFreeze, listFreezes, listRounds } from '../treasury/index.ts'
import { watchStatus } from '../watcher/index.ts'
import { command, print, type Command } from './command.ts'
import { tellAcquirers, type Tell } from './doctor-acquirers.ts'
import { tellExposure } from './doctor-exposure.ts'
import { tellHedge } from './doctor-hedging.ts'
import { tellMail } from './doctor-mail.ts'
import { tellScreening } from './doctor-screening.ts'
import { tellCardKeys } from './doctor-cards.ts'
import { withInstallation } from './merchant.ts'
import { tokensOf, type Opened } from './open.ts'
import { tellDatabase } from './doctor-database.ts'
import { compareLogs, signerAddress } from './signer.ts'

/** Says what is live and what is degraded, one line each; exit code 1 when something needs a person. */
export const doctorCommand: Command = command({
  name: 'doctor',
  summary: 'say which keys, policies, networks and limits are live, and what is wrong',
  run: async (_given, env) =>
    withInstallation(env, async (opened) => {
      const bad: string[] = []
      const tell = (good: boolean, text: string): void => {
        print(`${good ? 'ok  ' : 'BAD '} ${text}`)
        if (!good) bad.push(text)
      }
      await tellDatabase(opened, tell)
      tellExposure(opened.config, tell)
      await tellSigner(opened, tell)
      await tellNetworks(opened, tell)
      await tellComparisons(opened, tell)
      await tellAcquirers(opened.config.acquirers, tell)
      const acquirers = (opened.config.acquirers?.accounts ?? []).map(({ acquirer }) => acquirer)
      await tellCardKeys(opened.runtime.db, { keys: opened.config.cardKeys, acquirers }, tell)
      await tellMail(opened, tell)
      await tellScreening(opened, tell)
      await tellHedge(opened, tell)
      for (const stop of await listFreezes(opened.runtime.db)) tell(false, describeFreeze(stop))
      const { rows } = await sql<{ kind: string; text: string }>`select kind, text from alerts where resolved_at is null order by raised_at`.execute(opened.runtime.db)
      for (const alert of rows) tell(false, `${alert.kind}: ${alert.text}`)
      if (bad.length > 0) process.exitCode = 1
    }),
})

const tellSigner = async (opened: Opened, tell: Tell): Promise<void> => {
  const { config } = opened
  if (config.signer === null) return tell(false, 'signer: BURSAR_SIGNER is not set')
  const signer = connectSigner(signerAddress(config))
  try {
    const { keys, policy } = await signer.status()
    const ours = config.xpubs
    const families = ['bitcoin', 'evm', 'tron'] as const
    const same = ours !== null && families.every((one) => ours[one].hot === keys[one].hot && ours[one].deposit === keys[one].deposit)
    tell(same, `signer: keys ${keys.masterFingerprint} (${keys.bitcoinChain})${same ? '' : ', NOT the keys of BURSAR_XPUBS_FILE'}`)
    tell(policy.enabled, `signer policy ${policy.hash.slice(0, 12)}: ${policy.enabled ? 'enabled' : 'everything is switched off'}, approvers ${policy.approvers.join(', ') || 'none'}`)
    for (const [network, limits] of Object.entries(policy.networks)) print(`     ${network}: ${JSON.stringify(limits)}`)
    const { same: isSameLog, text } = await compareLogs(opened)
    tell(isSameLog, text)
  } catch (error) {
    tell(false, `signer: ${(error as Error).message}`)
  } finally {
    signer.close()
  }
}

const LONGEST_UNCOMPARED_MS = 30 * 60_000

/** Since when each network's books have not been held against it. */
const tellComparisons = async ({ runtime }: Opened, tell: Tell): Promise<void> => {
  const newest = new Map((await listRounds(runtime.db)).map((round) => [round.network, round]))
  for (const [network, { height, comparedAt }] of newest) {
    const age = runtime.clock.now() - comparedAt.getTime()
    tell(age <= LONGEST_UNCOMPARED_MS, `${network}: books compared with the chain at block ${height}, ${Math.round(age / 60_000)} min ago`)
  }
}

const tellNetworks = async ({ config, runtime }: Opened, tell: Tell): Promise<void> => {
  if (config.networks === null || config.assets === null) return tell(false, 'networks: BURSAR_NETWORKS_FILE or BURSAR_ASSETS_FILE is not set')
  const statuses = new Map((await watchStatus(runtime.db)).map((status) => [status.network, status]))
  for (const [network, adapter] of createAdapters(config.networks, tokensOf(config.assets))) {
    try {
      const [identity, head, { traces }] = await Promise.all([adapter.identity(), adapter.head(), adapter.capabilities()])
      tell(identity === identityOf(config.networks, network), `${network}: node of chain ${identity}, head ${head.height}`)
      const read = statuses.get(network)
      tell(read !== undefined, `${network}: ${read ? `read to ${read.height}, final to ${read.finalHeight}` : 'not read yet: is a watcher running?'}`)
      if (network !== 'BITCOIN') tell(traces, `${network}: ${traces ? 'the node gives traces' : 'no traces: native coin sent by contracts is found late'}`)
      for (const asset of config.assets.crypto) {
        const on = asset.networks.get(network)
        if (!on?.contract || !('tokenDecimals' in adapter)) continue
        const decimals = await (adapter as unknown as { tokenDecimals(contract: string): Promise<number> }).tokenDecimals(on.contract)
        tell(decimals === on.decimals, `${network}: ${asset.ticker} has ${decimals} decimals${decimals === on.decimals ? '' : `, configured ${on.decimals}`}`)
      }
    } catch (error) {
      tell(false, `${network}: ${(error as Error).message}`)
    }
  }
}
