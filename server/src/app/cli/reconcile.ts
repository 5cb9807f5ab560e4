import { driftsOf, type Drift } from '../../ledger/address-balances/index.ts'
import { createAdapters } from '../../adapters/chains/index.ts'
import { auditAdjustments } from '../../treasury/adjustments/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { findBrokenAction } from '../../platform/operators/index.ts'
import {
  auditBooks,
  auditCounts,
  countAnew,
  reconcileFully,
  reconcileNetwork,
  type CustodyLine,
  type Round,
} from '../../treasury/reconciliation/index.ts'
import { checkInvariant, INVARIANTS } from '../../treasury/invariants/index.ts'
import { restoredAt } from '../../platform/runtime/installation.ts'
import { reconcileWithAcquirer } from './acquirers.ts'
import { adjustmentFields, adjustmentLine } from './adjustments.ts'
import { network } from './argument-kinds.ts'
import { command, UsageError, flag, text, texts, type Command } from './command.ts'
import type { Output } from './output.ts'
import { reconcileVenue } from './hedging.ts'
import { required, tokensOf, withInstallation, type Opened } from '../installation/open.ts'

const MOST_SHOWN = 1_000

export const reconcileCommand: Command = command({
  name: 'reconcile',
  summary: 'check that the ledger, the chains and the hedging venue agree; or check an acquirer against its statement',
  options: {
    network: network('one network, not all'),
    full: flag('compare every address, not only those that changed'),
    recount: flag('first recompute the totals that metrics and `bursar treasury` read; writers wait meanwhile'),
    history: flag('verify every entry of the ledger again, not only those that came since they were last verified'),
    acquirer: text('NAME', 'an acquirer instead of the chains'),
    statement: text('FILE', "the acquirer's statement; from its API if absent"),
    days: text('DAYS', "number of days to read from the acquirer's API; 7 if absent"),
    balance: texts('TICKER=AMOUNT', 'the balance that the acquirer states'),
  },
  run: async ({ options: values }, env, out) => {
    const { acquirer, statement, days = '7', balance: balances } = values
    if (acquirer === undefined && [statement, values.days, balances[0]].some((given) => given !== undefined))
      throw new UsageError('--statement, --days and --balance go with --acquirer')
    if (acquirer !== undefined) {
      return withInstallation(env, async (opened) => {
        const off = await reconcileWithAcquirer(opened, { acquirer, statement, days, balances }, out)
        out.show({ findings: off }, [])
        out.say(off === 0 ? `the books and ${acquirer} agree` : `${off} finding(s)`)
        if (off > 0) process.exitCode = 1
      })
    }
    await withInstallation(env, async (opened) => {
      const { runtime, config } = opened
      const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
      if (values.recount) await countAnew(runtime.db)
      const findings = await auditBooks(runtime, { again: values.history })
      out.show({ checks: [], invariants: [], adjustments: [], compared: [], custody: [], drifts: [] }, [])
      for (const finding of findings)
        out.add('checks', { ...finding }, `${finding.check} ${finding.subject}: ${finding.detail}`)
      const brokenAction = await findBrokenAction(runtime.db)
      if (brokenAction !== null)
        out.add(
          'checks',
          { check: 'actions', subject: String(brokenAction), detail: 'the row was changed or removed' },
          `record of operators: row ${brokenAction} was changed or removed, see \`bursar actions\``,
        )
      const counts = await auditCounts(runtime.db)
      for (const { what, counted, found } of counts)
        out.add(
          'checks',
          { check: 'count', subject: what, detail: `says ${counted}, there are ${found}` },
          `count of ${what}: says ${counted}, there are ${found}; \`bursar reconcile --recount\` corrects it`,
        )
      let off =
        findings.length +
        counts.length +
        (await printInvariants(runtime.db, out)) +
        (await printAdjustments(opened, out)) +
        (brokenAction === null ? 0 : 1)
      const adapters = createAdapters(required(config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(catalogue))
      for (const adapter of adapters.values()) {
        if (values.network !== undefined && adapter.network !== values.network) continue
        const reportLeft = ({ left }: Round): void => {
          if (left > 0) out.say(`${adapter.network}: ${left} changed address(es) are not compared yet`)
        }
        const round = await (values.full
          ? reconcileFully(runtime, catalogue, adapter, reportLeft)
          : reconcileNetwork(runtime, catalogue, adapter))
        if (!round)
          out.say(`${adapter.network}: can't be compared now (not read yet, or its head is moving); try again`)
        else off += await printRound(runtime.db, catalogue, round, out)
      }
      if (values.network === undefined) off += await reconcileVenue(opened, out)
      out.show({ findings: off }, [])
      out.say(off === 0 ? 'the ledger is consistent, and the chains agree with it' : `${off} finding(s)`)
      if (off > 0) process.exitCode = 1
    })
  },
})

const SHOWN_MS = 30 * 24 * 60 * 60_000

/**
 * Shows the adjustments of the last 30 days, and verifies all of them against signatures and postings. @returns the
 * number of findings
 */
const printAdjustments = async ({ runtime: { db, clock } }: Opened, out: Output): Promise<number> => {
  const { applied, findings } = await auditAdjustments(db, await restoredAt(db))
  for (const line of applied)
    if (line.signed!.appliedAt.getTime() > clock.business() - SHOWN_MS)
      out.add('adjustments', adjustmentFields(line), `adjustment ${adjustmentLine(line)}`)
  for (const finding of findings) out.add('checks', { check: 'adjustments', subject: null, detail: finding }, finding)
  return findings.length
}

/** Checks every invariant over all rows. @returns the number of violations */
const printInvariants = async (db: Db, out: Output): Promise<number> => {
  let off = 0
  for (const invariant of INVARIANTS) {
    const { name, statement } = invariant
    const violations = await checkInvariant(invariant, db)
    off += violations.length
    out.add(
      'invariants',
      { name, statement, violations: violations.map((violation) => ({ ...violation })) },
      [
        `invariant ${name}: ${violations.length === 0 ? 'ok' : `BROKEN. ${statement}`}`,
        ...violations.map(({ subject, text }) => `  ${subject}: ${text}`),
      ].join('\n'),
    )
  }
  return off
}

/** @returns the number of assets and addresses that differ */
const printRound = async (
  db: Db,
  catalogue: Catalogue,
  { network, height, lines, compared }: Round,
  out: Output,
): Promise<number> => {
  let off = 0
  out.add('compared', { network, height, addresses: compared }, `${network}: compared ${compared} address(es)`)
  for (const line of lines) {
    const { scale } = catalogue.findCrypto(line.ticker)!
    const drifts = await driftsOf(db, network, line.ticker, MOST_SHOWN)
    off += drifts.length + (line.onChain === line.booked ? 0 : 1)
    const { ticker, height: at, booked, onChain } = line
    const shown = (units: bigint): string => formatUnits(units, scale)
    out.add(
      'custody',
      { network, ticker, height: at, books: shown(booked), chain: shown(onChain), difference: shown(onChain - booked) },
      lineText(line, scale),
    )
    for (const drift of drifts) {
      const { address, booked: should, difference } = drift
      out.add(
        'drifts',
        {
          network,
          ticker,
          address,
          books: shown(should),
          chain: shown(should + difference),
          difference: shown(difference),
        },
        driftText(drift, scale),
      )
    }
  }
  return off
}

const lineText = ({ network, ticker, height, booked, onChain }: CustodyLine, scale: number): string => {
  const verdict = onChain === booked ? 'equal' : `DIFFERENCE ${formatUnits(onChain - booked, scale)}`
  return `${network} ${ticker} at ${height}: books ${formatUnits(booked, scale)}, chain ${formatUnits(onChain, scale)}: ${verdict}`
}

const driftText = ({ address, booked, difference }: Drift, scale: number): string =>
  `  ${address}: should hold ${formatUnits(booked, scale)}, holds ${formatUnits(booked + difference, scale)}: DIFFERENCE ${formatUnits(difference, scale)}`
