import { sql } from 'kysely'
import { isEvmNetwork, isNetwork, type Network } from '@bursar/chainkit'
import { createAdapters, identityOf, ChainUnavailable } from '../../adapters/chains/index.ts'
import {
  compareNode,
  compareRefusals,
  isWrong,
  unknown,
  type Comparison,
} from '../../adapters/chains/dialects/index.ts'
import type { ChainSettings } from '../../adapters/chains/index.ts'
import { lineOf, surveyNode } from '../../adapters/chains/survey/index.ts'
import { createAmlbot } from '../../adapters/screening/amlbot.ts'
import type { Subject } from '../../adapters/screening/port.ts'
import { openVenue } from '../../adapters/venues/settings.ts'
import type { Db } from '../../platform/db/index.ts'
import { command, flag, text, texts, UsageError, type Command } from './command.ts'
import type { Output } from './output.ts'
import { required, tokensOf, withInstallation, type Opened } from '../installation/open.ts'
import { compareAcquirer, compareScreener, compareVenue, type KnownOrder } from './smoke-counterparties.ts'

const NETWORKS: Readonly<Record<string, Network>> = {
  ethereum: 'ETHEREUM',
  bsc: 'BINANCE_SMART_CHAIN',
  bitcoin: 'BITCOIN',
  tron: 'TRON',
}
const ACQUIRERS = ['liqpay', 'wayforpay', 'freedompay', 'bank']
const TARGETS = [...Object.keys(NETWORKS), ...ACQUIRERS, 'amlbot', 'binance']
/** How many of our orders an acquirer is queried about. */
const NEWEST = 20
const BINANCE = 'https://api.binance.com'

/**
 * Asks real counterparties the questions that the tests ask emulators. Exit code 1 when an answer is new, the operator
 * has to change something, or nothing answered.
 */
export const smokeCommand: Command = command({
  name: 'smoke',
  summary:
    'compare the answers of a node or a counterparty with those that Bursar expects; without --send it only reads',
  args: ['TARGET'],
  options: {
    reference: texts('ID', 'an order to query, in addition to our newest ones'),
    send: flag('send invalid transactions to a node of a test network, and check how it rejects them (ethereum, bsc)'),
    address: text('NETWORK/TICKER/ADDRESS', 'the address that AMLBot checks; it charges one check'),
  },
  more: `TARGET is ${TARGETS.join(', ')}. Nothing is ordered or signed, and nothing is sent without --send. Each line begins with agrees, NEW (a word or a shape that Bursar does not know), BAD (you must change something) or ? (no answer). The exit code is 1 on NEW and BAD, and when the target did not answer.`,
  run: async ({ args, options }, env, out) =>
    withInstallation(env, async (opened) => {
      const comparisons = await compareTarget(opened, args.TARGET, options, out)
      for (const { row, result, text: says } of comparisons)
        out.add('comparisons', { row, result: result, text: says }, `${PREFIX[result]} ${row}: ${says}`)
      const hasAnswered = comparisons.some(({ result }) => result === 'agrees')
      if (!hasAnswered) out.say(`BAD    ${args.TARGET}: no answer could be compared`)
      if (!hasAnswered || comparisons.some(({ result }) => result === 'new' || result === 'wrong')) process.exitCode = 1
    }),
})

const PREFIX = { agrees: 'agrees', new: 'NEW   ', wrong: 'BAD   ', unknown: '?     ' } as const

interface Asked {
  reference: readonly string[]
  address: string | undefined
  send: boolean
}

const compareTarget = async (opened: Opened, target: string, asked: Asked, out: Output): Promise<Comparison[]> => {
  const network = Object.hasOwn(NETWORKS, target) ? NETWORKS[target] : undefined
  if (asked.send && (network === undefined || !isEvmNetwork(network)))
    throw new UsageError('--send is for ethereum and bsc')
  if (network !== undefined) return compareNetwork(opened, network, asked.send, out)
  if (ACQUIRERS.includes(target)) return compareAccounts(opened, target, asked.reference)
  if (target === 'amlbot') return compareAmlbot(opened, asked.address)
  if (target === 'binance') return compareBinance(opened)
  throw new UsageError(`TARGET is one of ${TARGETS.join(', ')}`)
}

const compareNetwork = async (
  { config }: Opened,
  network: Network,
  send: boolean,
  out: Output,
): Promise<Comparison[]> => {
  const networks = required(config.networks, 'BURSAR_NETWORKS_FILE')
  if (networks[network] === undefined) throw new Error(`BURSAR_NETWORKS_FILE has no ${network}`)
  const tokens = tokensOf(required(config.assets, 'BURSAR_ASSETS_FILE')).get(network) ?? []
  const other = await findOtherChain(networks, network)
  if (other !== undefined) return [other]
  const findings = await surveyNode(networks, network, { tokens, now: Date.now() })
  for (const finding of findings) {
    const text = lineOf(finding)
    out.add('node', { result: finding.verdict, text }, `       ${finding.verdict.padEnd(7)} ${text}`)
  }
  const compared = await compareNode(networks, network)
  return send ? [...compared, ...(await compareRefusals(networks, network))] : compared
}

/**
 * Detects a node that does not name its chain, or is of another chain than the settings name: it is asked nothing else.
 */
const findOtherChain = async (networks: ChainSettings, network: Network): Promise<Comparison | undefined> => {
  const adapter = createAdapters({ [network]: networks[network] } as ChainSettings, new Map()).get(network)!
  try {
    const [identity, configured] = [await adapter.identity(), identityOf(networks, network)]
    if (identity === configured) return undefined
    const text = `the node is of chain ${identity}, and BURSAR_NETWORKS_FILE names ${configured}. Set \`url\` to a node of that chain`
    return { row: 'chain', ...isWrong(text) }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    return { row: 'chain', ...unknown(error.message) }
  } finally {
    await adapter.close()
  }
}

const compareAccounts = async (
  { config, runtime }: Opened,
  kind: string,
  references: readonly string[],
): Promise<Comparison[]> => {
  const accounts = (config.acquirers?.accounts ?? []).filter((account) => account.kind === kind)
  if (accounts.length === 0) throw new Error(`BURSAR_ACQUIRERS_FILE has no account of kind ${kind}`)
  const comparisons: Comparison[] = []
  for (const { name, acquirer } of accounts) {
    const given = references.map((reference): KnownOrder => ({
      kind: 'payment',
      reference,
      acquirerReference: undefined,
      isNamed: true,
    }))
    const compared = await compareAcquirer(acquirer, [...given, ...(await newestOrders(runtime.db, name))])
    comparisons.push(...compared.map((one) => ({ ...one, row: `${name}: ${one.row}` })))
  }
  return comparisons
}

/** Returns the newest orders that the acquirer must have received; others are rightly unknown there. */
const newestOrders = async (db: Db, account: string): Promise<KnownOrder[]> => {
  const { rows } = await sql<{ kind: KnownOrder['kind']; reference: string; acquirerReference: string | null }>`
    (select 'payment' as kind, id::text as reference, acquirer_reference as "acquirerReference" from payments
      where acquirer = ${account} and acquirer_reference is not null order by created_at desc limit ${NEWEST})
    union all
    (select 'payout', reference::text, acquirer_reference from card_payout_attempts
      where account = ${account} and acquirer_reference is not null order by sent_at desc limit ${NEWEST})`.execute(db)
  return rows.map(({ kind, reference, acquirerReference }) => ({
    kind,
    reference,
    acquirerReference: acquirerReference ?? undefined,
  }))
}

const compareAmlbot = async ({ config }: Opened, address: string | undefined): Promise<Comparison[]> => {
  const settings = config.screening?.providers.find((one) => one.kind === 'amlbot')
  if (settings?.kind !== 'amlbot') throw new Error('BURSAR_SCREENING_FILE has no provider of kind amlbot')
  return compareScreener(createAmlbot(settings, Date.now), address === undefined ? undefined : subjectOf(address))
}

const subjectOf = (typed: string): Subject => {
  const [network = '', asset = '', other = ''] = typed.split('/')
  if (!isNetwork(network) || asset === '' || other === '')
    throw new UsageError('--address is NETWORK/TICKER/ADDRESS, such as TRON/USDT/T...')
  return { network, asset, direction: 'withdrawal', transaction: null, own: null, others: [other] }
}

const compareBinance = async ({ config }: Opened): Promise<Comparison[]> => {
  const settings = config.exchange?.hedging?.venue
  if (settings?.exchange !== 'binance') throw new Error('BURSAR_EXCHANGE_FILE hedges on no venue of exchange binance')
  const venue = openVenue(settings)
  try {
    return await compareVenue(venue, settings.origin ?? BINANCE, Date.now)
  } finally {
    await venue.close()
  }
}
