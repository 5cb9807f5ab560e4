import { createPrivateKey, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyReserveProof, type VerifiedReserves } from '@bursar/sdk'
import { createAdapters } from '../../adapters/chains/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import {
  proofFiles,
  readLeaves,
  readReport,
  reportFile,
  signReport,
  takeReport,
  type StatementAsset,
} from '../../treasury/reserves/index.ts'
import { reconcileNetwork } from '../../treasury/reconciliation/index.ts'
import { uuid } from './argument-kinds.ts'
import { command, flag, neededText, text, textOr, texts, UsageError, type Command } from './command.ts'
import { required, tokensOf, withInstallation, type Opened } from '../installation/open.ts'
import type { Output } from './output.ts'

/** In the folder of other generated files: not among files that are committed or served. */
const FOLDER = '.bursar/reserves'

export const reserveCommands: readonly Command[] = [
  command({
    name: 'reserves verify',
    summary: "check a merchant's proof; needs no database",
    args: ['FILE'],
    options: {
      merchant: neededText('ID', 'the merchant of the proof'),
      commitment: text('HEX', 'the commitment that the operator published'),
      'public-key': text('HEX', 'the key that must have signed the report'),
      expect: texts('TICKER=AMOUNT', 'a balance that the proof must count'),
    },
    run: async ({ args, options: values }, _env, out) => {
      const file = readFileSync(args.FILE, 'utf8')
      const verified = verifyReserveProof(file, {
        merchantId: values.merchant,
        commitment: values.commitment,
        publicKey: values['public-key'],
        expected: values.expect.length === 0 ? undefined : Object.fromEntries(values.expect.map(readExpected)),
      })
      printVerified(verified, { isPublished: values.commitment !== undefined }, out)
    },
  }),
  command({
    name: 'reserves proof',
    summary: 'write the proof of one merchant or of all, from the newest report',
    options: {
      merchant: uuid('one merchant'),
      all: flag('all merchants'),
      report: uuid('an older report'),
      out: textOr(FOLDER, 'DIRECTORY', 'the folder of the files'),
    },
    run: async ({ options: values }, env, out) => {
      if (values.all === (values.merchant !== undefined)) throw new UsageError('give --merchant ID or --all')
      await withInstallation(env, async ({ runtime }) => {
        const report = await readReport(runtime.db, values.report ?? null)
        if (!report)
          throw new Error(
            values.report === undefined ? 'there is no report yet: run `bursar reserves`' : 'there is no such report',
          )
        const leaves = await readLeaves(runtime.db, report.id)
        let written = 0
        for (const proof of proofFiles(report, leaves, values.merchant === undefined ? null : [values.merchant])) {
          const name = writeJson(values.out, `proof-${report.id}-${proof.merchantId}.json`, proof, 0o600)
          written += 1
          if (!values.all) out.say(`wrote ${name}; only this merchant should see it`)
        }
        if (written === 0) throw new Error('the report has no such merchant')
        if (values.all) out.say(`wrote ${written} proof(s) into ${values.out}; each is for its merchant only`)
      })
    },
  }),
  command({
    name: 'reserves',
    summary: 'compare assets with liabilities, and write the report from which proofs are made',
    options: {
      'sign-key': text('FILE', 'a private key (Ed25519, PEM) that signs the report'),
      out: textOr(FOLDER, 'DIRECTORY', 'the folder of the report'),
    },
    run: async ({ options: values }, env, out) => {
      const key = values['sign-key'] === undefined ? null : createPrivateKey(readFileSync(values['sign-key']))
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        await compareAll(opened, out)
        const { report, statement } = await takeReport(runtime.db, catalogue, {
          id: runtime.newId(),
          at: new Date(runtime.clock.now()),
          secret: randomBytes(32),
          sign: key && ((commitment) => signReport(key, commitment)),
        })
        printReserves(statement.assets, out)
        const file = reportFile(report, await readLeaves(runtime.db, report.id))
        out.show(
          {
            reportId: report.id,
            merchants: statement.merchants,
            commitment: report.commitment,
            signedBy: report.publicKey,
          },
          [
            `${statement.merchants} merchant(s); commitment ${report.commitment}${report.publicKey === null ? ', not signed' : `, signed by ${report.publicKey}`}`,
          ],
        )
        out.say(
          `wrote ${writeJson(values.out, `reserves-${report.id}.json`, file, 0o644)}: publish it in one place for all merchants`,
        )
        if (statement.assets.some((asset) => backing(asset) < owed(asset))) process.exitCode = 1
      })
    },
  }),
]

/**
 * Compares with the chains first, so that the reported heights are current; a chain that can't be read keeps its last
 * comparison.
 */
const compareAll = async ({ config, runtime }: Opened, out: Output): Promise<void> => {
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  if (config.networks === null)
    return out.say('BURSAR_NETWORKS_FILE is not set: the heights are those of the last comparison')
  for (const adapter of createAdapters(config.networks, tokensOf(catalogue)).values()) {
    const round = await reconcileNetwork(runtime, catalogue, adapter).catch((error: unknown) =>
      out.say(`${adapter.network}: ${(error as Error).message}`),
    )
    if (!round) out.say(`${adapter.network}: can't be compared now; its height is that of the last comparison`)
  }
}

const owed = ({ liabilities, suspense, quarantine }: StatementAsset): bigint =>
  BigInt(liabilities) + BigInt(suspense) + BigInt(quarantine)
const backing = ({ reserves, accounts = [], inTransit }: StatementAsset): bigint =>
  [...reserves, ...accounts].reduce((sum, { units }) => sum + BigInt(units), BigInt(inTransit))

/** Hundredths of a percent, rounded down, so that a shortage is never shown as 100 %. */
const coverage = (asset: StatementAsset): string | null => {
  const [have, owes] = [backing(asset), owed(asset)]
  if (owes === 0n) return null
  return `${formatUnits(mulDiv(have < 0n ? 0n : have, 10_000n, owes, 'down'), 2)}%`
}

const printReserves = (assets: readonly StatementAsset[], out: Output): void => {
  const rows = assets.map((asset) => {
    const show = (units: bigint | string): string => formatUnits(BigInt(units), asset.scale)
    const held = [...asset.reserves, ...(asset.accounts ?? [])].reduce((sum, { units }) => sum + BigInt(units), 0n)
    return {
      asset: asset.ticker,
      held: show(held),
      inTransit: show(asset.inTransit),
      owedToMerchants: show(asset.liabilities),
      suspense: show(asset.suspense),
      quarantine: show(asset.quarantine),
      covered: coverage(asset),
    }
  })
  out.list('assets', rows)
  out.show({ accounts: [], networks: [] }, [])
  for (const { ticker, scale, reserves, accounts = [] } of assets) {
    for (const { name, units } of accounts) {
      const amount = formatUnits(BigInt(units), scale)
      out.add('accounts', { ticker, name, amount }, `  ${ticker} ${name}: ${amount}`)
    }
    for (const { network, height, hash, units } of reserves) {
      const amount = formatUnits(BigInt(units), scale)
      out.add(
        'networks',
        { ticker, network, height, hash, amount },
        `  ${ticker} on ${network} at ${height} (${hash}): ${amount}`,
      )
    }
  }
}

const writeJson = (directory: string, name: string, value: unknown, mode: number): string => {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, name)
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`, { mode })
  return path
}

const readExpected = (text: string): [string, string] => {
  const [, ticker, amount] = /^([A-Z0-9]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (ticker === undefined || amount === undefined) throw new UsageError('--expect is TICKER=AMOUNT')
  return [ticker, amount]
}

const printVerified = (verified: VerifiedReserves, { isPublished }: { isPublished: boolean }, out: Output): void => {
  const { reportId, takenAt, merchants, commitment, signedBy } = verified
  out.show({ reportId, takenAt, merchants, commitment, signedBy, balances: [], totals: [] }, [
    `report ${reportId} of ${takenAt}, ${merchants} merchant(s)`,
  ])
  for (const { ticker, value } of verified.balances)
    out.add('balances', { ticker, value }, `  counted as yours: ${value} ${ticker}`)
  for (const { ticker, scale, liabilities } of verified.assets) {
    const value = formatUnits(liabilities, scale)
    out.add('totals', { ticker, value }, `  of a total of ${value} ${ticker}`)
  }
  out.show({}, [`commitment ${commitment}${signedBy === null ? '' : `, signed by ${signedBy}`}`])
  out.say('the proof holds: the total includes these balances')
  if (!isPublished) out.say('compare the commitment with the published one, or give the published one as --commitment')
}
