/** `npm start`: the whole local world on one machine, offline. Data, logs and chains are in `.bursar/`. */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPlatform } from './platform/index.ts'
import type { Platform } from './platform/index.ts'
import { readSettings } from './settings.ts'
import type { SandboxSettings } from './settings.ts'
import { openSupervisor, Stopping } from './supervise.ts'
import type { Supervisor } from './supervise.ts'
import { startWorld } from './world.ts'
import type { World } from './world.ts'

const root = new URL('..', import.meta.url).pathname

process.exitCode = await run()

async function run(): Promise<number> {
  let supervisor: Supervisor | undefined
  try {
    const settings = readSettings(process.env, root)
    prepareFolder(settings.dir)
    supervisor = openSupervisor(settings.dir, say)
    rmSync(descriptionFile(settings), { force: true })
    const started = performance.now()
    await startAll(supervisor, settings)
    say(
      `ready in ${((performance.now() - started) / 1000).toFixed(1)} s; Ctrl-C stops everything, the data stay in ${settings.dir}`,
    )
    const { reason, exitCode } = await supervisor.ending
    say(`stopping: ${reason}`)
    return exitCode
  } catch (error) {
    if (error instanceof Stopping) {
      say(`stopping: ${error.ending.reason}`)
      return error.ending.exitCode
    }
    say(error instanceof Error ? error.message : String(error))
    return 1
  } finally {
    await supervisor?.stop()
  }
}

async function startAll(supervisor: Supervisor, settings: SandboxSettings): Promise<void> {
  const world = await startWorld(supervisor, settings, say)
  const platform = await startPlatform(supervisor, settings, world, say)
  writeDescription(settings, describe(world, platform))
  welcome(world, platform)
}

/** The started components, and three commands to try. */
function welcome(world: World, { api, control, bank, venue, screening, merchants }: Platform): void {
  const [merchant] = merchants
  const bursar = 'npm run try --'
  say('')
  say(`  API          ${api}   (reference: ${api}/docs)`)
  say(`  control      ${control}`)
  say(
    `  inbox        ${world.inbox.url}   (mails and notifications; as JSON ${control}/mail and ${world.inbox.url}/messages)`,
  )
  say(`  bank         ${bank.url}   (cards; POST ${control}/bank/next makes it fail)`)
  say(`  venue        ${venue}   (exchanges are hedged there; POST ${control}/venue/next makes it fail)`)
  if (screening !== undefined)
    say(
      `  screening    ${screening.url}   (POST ${control}/screening sets verdicts; always risky: ${screening.listed})`,
    )
  for (const { blockchain, url } of nodesOf(world)) say(`  chain        ${url}   (${blockchain})`)
  say(`  merchant     ${merchant?.id}`)
  say('')
  say('Try, in another terminal:')
  say(`  ${bursar} invoice                  # your first paid invoice: its page, its webhooks, its receipt`)
  say(`  ${bursar} deposit USDT ETHEREUM 25     # an address, a payment to it, and the notifications it causes`)
  say(`  ${bursar} withdraw USDT ETHEREUM 10    # to someone outside`)
  if (screening !== undefined)
    say(`  ${bursar} held USDT ETHEREUM 25 sanctioned   # screened before it is credited, and decided by you`)
  say(`  ${bursar} balances`)
  say('')
}

/** Facts for tools. */
function describe(world: World, { api, control, bank, venue, screening, merchants, environment }: Platform): object {
  const { databaseUrl: database, inbox } = world
  return {
    api,
    checkout: api,
    control,
    bank,
    venue,
    screening,
    inbox: inbox.url,
    merchants,
    database,
    chains: nodesOf(world),
    environment,
  }
}

interface NodeDescription {
  readonly blockchain: string
  readonly url: string
  /** Bitcoin's. */
  readonly user?: string
  readonly password?: string
  readonly assets?: readonly { readonly ticker: string; readonly decimals: number; readonly token?: string }[]
}

function nodesOf({ bitcoin, ethereum, bsc, tron }: World): NodeDescription[] {
  const others = [ethereum, bsc, tron].map(({ node, chain, assets }) => ({
    blockchain: chain.blockchain,
    url: node.url,
    assets,
  }))
  if (bitcoin === undefined) return others
  const { url, user, password } = bitcoin.node
  return [{ blockchain: 'BITCOIN', url, user, password }, ...others]
}

function writeDescription(settings: SandboxSettings, description: object): void {
  const file = descriptionFile(settings)
  writeFileSync(`${file}.new`, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Others may pass through, as PostgreSQL's user does under root, but not look around. */
function prepareFolder(dir: string): void {
  mkdirSync(dir, { recursive: true })
  chmodSync(dir, 0o711)
}

function descriptionFile(settings: SandboxSettings): string {
  return join(settings.dir, 'sandbox.json')
}

function say(line: string): void {
  console.log(line)
}
