import { openAlerts } from '../../platform/runtime/alerts.ts'
import { connectSigner } from '../../adapters/signer/index.ts'
import { describeStop, listStops } from '../../ledger/stops/index.ts'
import { listRounds } from '../../treasury/reconciliation/index.ts'
import { command, text, type Command } from './command.ts'
import { fieldLines, type Fields, type Output } from './output.ts'
import { reportAcquirers, type Report } from './doctor-acquirers.ts'
import { reportAlerting } from './doctor-alerts.ts'
import { reportExposure } from './doctor-exposure.ts'
import { reportHedge } from './doctor-hedging.ts'
import { reportMail } from './doctor-mail.ts'
import { reportNetworks, type Note } from './doctor-networks.ts'
import { reportScreening } from './doctor-screening.ts'
import { readDatabaseClock, reportClock } from './doctor-clocks.ts'
import { reportCardKeys } from './doctor-cards.ts'
import { reportPatroni } from './doctor-patroni.ts'
import { signerAddress, withInstallation, type Opened } from '../installation/open.ts'
import { reportDatabase } from './doctor-database.ts'
import { compareLogs } from './signer.ts'

/** Reports the state of each part, one line each; exit code 1 when an operator has to act. */
export const doctorCommand: Command = command({
  name: 'doctor',
  summary: 'check keys, policies, networks, counterparties and limits, and show the faults',
  options: {
    patroni: text('FILE', 'also check Patroni: its file patroni.yml, or the URL of the REST API of a database machine'),
    'patroni-tls': text(
      'FOLDER',
      'for the URL: a folder with ca.crt, client.crt and client.key, the certificate with which Patroni is asked',
    ),
  },
  run: async ({ options }, env, out) =>
    withInstallation(env, async (opened) => {
      const bad: string[] = []
      const report = (good: boolean, said: string): void => {
        out.add('checks', { result: good ? 'ok' : 'bad', text: said }, `${good ? 'ok  ' : 'BAD '} ${said}`)
        if (!good) bad.push(said)
      }
      const note = (said: string): void => out.add('checks', { result: 'note', text: said }, `note ${said}`)
      await reportDatabase(opened, report, note)
      if (options.patroni !== undefined) await reportPatroni(options.patroni, options['patroni-tls'], report, note)
      reportExposure(opened.config, report)
      reportClock('database', await readDatabaseClock(opened.runtime.db, opened.runtime.clock.now), report, note)
      await reportSigner(opened, report, note, out)
      await reportNetworks(opened, report, note)
      await reportComparisons(opened, report)
      await reportAcquirers(opened.config.acquirers, report)
      const acquirers = (opened.config.acquirers?.accounts ?? []).map(({ acquirer }) => acquirer)
      await reportCardKeys(opened.runtime.db, { keys: opened.config.cardKeys, acquirers }, report)
      await reportMail(opened, report)
      await reportAlerting(opened, report, note)
      await reportScreening(opened, report)
      await reportHedge(opened, report)
      for (const stop of await listStops(opened.runtime.db)) report(false, describeStop(stop))
      for (const alert of await openAlerts(opened.runtime.db)) report(false, `${alert.kind}: ${alert.text}`)
      if (bad.length > 0) process.exitCode = 1
    }),
})

const reportSigner = async (opened: Opened, report: Report, note: Note, out: Output): Promise<void> => {
  const { config } = opened
  if (config.signer === null) return report(false, 'signer: BURSAR_SIGNER is not set')
  const signer = connectSigner(signerAddress(config))
  try {
    const { now } = opened.runtime.clock
    const before = now()
    const { keys, policy, time } = await signer.status()
    reportClock('signer', { before, after: now(), theirs: time ?? null }, report, note)
    const ours = config.xpubs
    const families = ['bitcoin', 'evm', 'tron'] as const
    const same =
      ours !== null &&
      families.every((one) => ours[one].hot === keys[one].hot && ours[one].deposit === keys[one].deposit) &&
      ours.next?.bitcoin.hot === keys.next?.bitcoin.hot &&
      ours.next?.bitcoin.deposit === keys.next?.bitcoin.deposit &&
      ours.next?.evm?.hot === keys.next?.evm?.hot &&
      ours.next?.evm?.deposit === keys.next?.evm?.deposit &&
      ours.next?.isFirstStolen === keys.next?.isFirstStolen
    report(
      same,
      `signer: keys ${keys.masterFingerprint}${keys.next ? ` and ${keys.next.masterFingerprint}` : ''} (${keys.bitcoinChain})${same ? '' : ', NOT the keys of BURSAR_XPUBS_FILE'}`,
    )
    report(
      policy.enabled,
      `signer policy ${policy.hash.slice(0, 12)}: ${policy.enabled ? 'enabled' : 'everything is switched off'}, approvers ${policy.approvers.join(', ') || 'none'}`,
    )
    const networks = policy.networks as Fields
    out.show({ signerPolicy: networks }, fieldLines(networks, '     '))
    const { same: isSameLog, text } = await compareLogs(opened)
    report(isSameLog, text)
  } catch (error) {
    report(false, `signer: ${(error as Error).message}`)
  } finally {
    signer.close()
  }
}

const LONGEST_UNCOMPARED_MS = 30 * 60_000

/** Reports how long ago each network's books were compared with its chain. */
const reportComparisons = async ({ runtime }: Opened, report: Report): Promise<void> => {
  const newest = new Map((await listRounds(runtime.db)).map((round) => [round.network, round]))
  for (const [network, { height, comparedAt }] of newest) {
    const age = runtime.clock.now() - comparedAt.getTime()
    report(
      age <= LONGEST_UNCOMPARED_MS,
      `${network}: books compared with the chain at block ${height}, ${Math.round(age / 60_000)} min ago`,
    )
  }
}
