/** The platform in the sandbox: keys, settings, database, processes, merchants, prices. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetSettings } from '../../server/src/market/assets/index.ts'
import { buildPrograms } from '../../tools/build.ts'
import { startBank } from '../bank/index.ts'
import { startControl } from '../control/index.ts'
import { startMarket } from '../market/index.ts'
import { withClient } from '../postgres/connection.ts'
import { portVariables } from '../settings.ts'
import type { SandboxSettings } from '../settings.ts'
import type { Supervisor } from '../supervise.ts'
import { startVenue } from '../venue/index.ts'
import type { World } from '../world.ts'
import { bankAccounts, writeAcquirersFile } from './acquirers.ts'
import { startEmulators } from './emulators.ts'
import { VENUE_BALANCES, venueAccount, writeExchangeFile } from './exchange.ts'
import { prepareDatabase } from './database.ts'
import { writeSettingsFiles } from './files.ts'
import { prepareKeys, readWallet } from './keys.ts'
import { demoMerchants } from './merchants.ts'
import type { DemoMerchant } from './merchants.ts'
import { openCardPayer } from './card-payer.ts'
import { openPayer } from './invoices.ts'
import { createPrices } from './prices.ts'
import { environmentOf, startRole, startSigner } from './programs.ts'
import type { Places, ServerRole } from './programs.ts'
import { LISTED, startSandboxScreening } from './screening.ts'
import { openTreasury } from './treasury.ts'
import { untilShown } from './shown-clock.ts'

export interface Platform {
  readonly api: string
  readonly control: string
  /** The bank emulator: its URL, our accounts there, and the list of its test cards. */
  readonly bank: { readonly url: string; readonly accounts: readonly string[]; readonly cards: string }
  /** URL of the exchange on which the sandbox hedges. */
  readonly venue: string
  /** The emulated provider, and a listed address; absent when nothing is screened. */
  readonly screening?: { readonly url: string; readonly listed: string }
  readonly merchants: readonly DemoMerchant[]
  /** The environment that the command `bursar` needs to act on this sandbox. */
  readonly environment: NodeJS.ProcessEnv
  /** Restarts a role that has ended, with variables for this start only. */
  startRole(role: ServerRole, more?: NodeJS.ProcessEnv): Promise<void>
  startSigner(): Promise<void>
}

/** The platform's own default. */
const QUOTE_MS = 15 * 60_000
/** Maximum path length of a Unix socket, without its end byte. */
const LONGEST_SOCKET = 107

export async function startPlatform(
  supervisor: Supervisor,
  settings: SandboxSettings,
  world: World,
  log: (line: string) => void,
): Promise<Platform> {
  mkdirSync(join(settings.dir, 'settings'), { recursive: true, mode: 0o700 })
  const programs = await buildPrograms()
  const keys = await prepareKeys(settings.dir, programs['bursar-signer'])
  const files = await writeSettingsFiles(settings.dir, world, readWallet(keys), settings.hotAddresses)
  const databaseUrls = await prepareDatabase(world.databaseUrl, settings.databaseUrl === undefined).catch(
    (error: Error) => {
      throw new Error(`${error.message}\nThe data are of another version: remove ${settings.dir} to start afresh`, {
        cause: error,
      })
    },
  )
  const assets = JSON.parse(readFileSync(files.assets, 'utf8')) as AssetSettings
  const treasury = openTreasury({
    databaseUrl: world.databaseUrl,
    wallet: readWallet(keys),
    assets,
    chains: world.chains,
    log,
  })
  const { innerApi, innerWorker, innerWatcher } = settings.ports
  const setClock = async (move: { advanceMs: number }): Promise<{ offsetMs: number }> => {
    const moved = await treasury.setClock(move)
    await untilShown([innerApi, innerWorker, innerWatcher], moved.offsetMs)
    return moved
  }
  const accounts = bankAccounts(keys.folder)
  const bank = await supervisor.start('bank', () =>
    startBank({
      port: settings.ports.bank,
      portSetting: portVariables.bank,
      dir: join(settings.dir, 'bank'),
      accounts,
      log,
    }),
  )
  const emulated = await startEmulators(supervisor, settings.emulators, {
    dir: join(settings.dir, 'emulators'),
    keysFolder: keys.folder,
    log,
  })
  const acquirers = writeAcquirersFile(settings.dir, keys.folder, bank.url, emulated)
  const cards = openCardPayer({
    databaseUrl: world.databaseUrl,
    assets,
    acquirers: JSON.parse(readFileSync(acquirers, 'utf8')),
    publicUrl: `http://127.0.0.1:${settings.ports.api}`,
  })
  const payer = openPayer({
    databaseUrl: world.databaseUrl,
    keys: readWallet(keys),
    assets,
    chains: world.chains,
    quoteMs: QUOTE_MS,
    payFiat: (payment) => cards.pay(payment),
    advance: (advanceMs) => setClock({ advanceMs }),
  })
  const prices = createPrices()
  const account = venueAccount(keys.folder)
  const venue = await supervisor.start('venue', () =>
    startVenue({
      port: settings.ports.venue,
      portSetting: portVariables.venue,
      account,
      usd: prices.usd,
      balances: VENUE_BALANCES,
      dir: join(settings.dir, 'venue'),
      log,
    }),
  )
  if (settings.hedging) await treasury.stockVenue()
  const market = await supervisor.start('price sources', () =>
    startMarket({ port: settings.ports.market, portSetting: portVariables.market, usd: prices.usd }),
  )
  const screening = await startSandboxScreening(supervisor, settings, {
    keysFolder: keys.folder,
    databaseUrl: world.databaseUrl,
  })
  const control = await supervisor.start('control', async () => {
    const server = await startControl({
      port: settings.ports.control,
      portSetting: portVariables.control,
      chains: world.chains,
      rates: prices,
      setSourceFault: market.setFault,
      bank: bank.control,
      venue: venue.control,
      mails: world.mailbox.mails,
      log,
      ...(screening && { screening: screening.emulator }),
      credit: (credit) => treasury.credit(credit),
      setClock,
      payInvoice: (payment) => payer.pay(payment),
    })
    return {
      ...server,
      stop: () =>
        server
          .stop()
          .then(() => Promise.all([treasury.close(), payer.close(), cards.close()]))
          .then(() => {}),
    }
  })
  const socket = socketPath(settings.dir)
  const exchangeFile = writeExchangeFile(
    settings.dir,
    market.url,
    world.bitcoin ? [] : ['BTC'],
    settings.hedging ? { url: venue.url, apiKeyFile: account.apiKeyFile, secretFile: account.secretFile } : undefined,
  )
  const places: Places = {
    programs,
    databaseUrls,
    ratesUrl: `${control.url}/rates`,
    smtpUrl: world.mailbox.url,
    keys,
    files,
    acquirers,
    exchangeFile,
    ...(screening && { screeningFile: screening.file }),
    socket: socket.path,
  }
  const environment = environmentOf(places, settings, 'operator', 0)
  const merchants = await demoMerchants(settings.dir, keys, world.databaseUrl, world.inbox.url)
  await startSigner(supervisor, settings.dir, places)
  await Promise.all(
    (['watcher', 'worker', 'api'] as const).map((role) => startRole(supervisor, settings, places, role)),
  )
  await supervisor.start('hot wallets', async () => {
    await untilFollowed(world)
    await treasury.fill()
    treasury.stock()
    return { stop: async () => socket.remove() }
  })
  return {
    api: `http://127.0.0.1:${settings.ports.api}`,
    control: control.url,
    bank: { url: bank.url, accounts: accounts.map(({ name }) => name), cards: `${control.url}/bank/cards` },
    venue: venue.url,
    ...(screening && { screening: { url: screening.emulator.url, listed: LISTED } }),
    merchants,
    environment,
    startRole: (role, more) => startRole(supervisor, settings, places, role, more),
    startSigner: () => startSigner(supervisor, settings.dir, places),
  }
}

/** A network that can't be followed does not keep the others from starting. */
const FOLLOWED_MS = 60_000

/** The watcher's first block of a network is a final one: coins that came before it would not be in the books. */
async function untilFollowed({ databaseUrl, chains }: World): Promise<void> {
  for (const until = performance.now() + FOLLOWED_MS; performance.now() < until; await sleep(50)) {
    const followed = await withClient(databaseUrl, (client) => client.query('select from watch_cursors'))
    if (followed.rowCount === chains.length) return
  }
}

/** In the sandbox's folder when the path is short enough, else in a private folder elsewhere. */
function socketPath(dir: string): { path: string; remove(): void } {
  const near = join(dir, 'signer.sock')
  if (near.length <= LONGEST_SOCKET) return { path: near, remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'bursar-signer-'))
  return { path: join(folder, 's'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
