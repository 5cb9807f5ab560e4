/**
 * Runs screening in the sandbox: an emulated provider that returns the results set by a test, a list with one made-up
 * address, and the addresses that the issuers of our dollar tokens freeze.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDb, createPool, inTransaction } from '../../server/src/platform/db/index.ts'
import { importList } from '../../server/src/risk/screening/index.ts'
import { startScreening } from '../screening/index.ts'
import type { ScreeningEmulator } from '../screening/index.ts'
import { portVariables } from '../settings.ts'
import type { SandboxSettings } from '../settings.ts'
import type { Supervisor } from '../supervise.ts'
import { newId } from './exchange.ts'

/** On no real list, and without an owner. */
export const LISTED = '0x00000000000000000000000000000000badc0de5'
/** Keys of the sandbox, which protect nothing. */
const KEYS = { accessId: 'sandbox', accessKey: 'sandbox-screening-key' }

/** Throws PortInUse. @param keysFolder folder of the file with its key */
export async function startSandboxScreening(
  supervisor: Supervisor,
  settings: SandboxSettings,
  { keysFolder, databaseUrl }: { keysFolder: string; databaseUrl: string },
): Promise<{ emulator: ScreeningEmulator; file: string } | undefined> {
  if (!settings.screening) return undefined
  const emulator = await supervisor.start('screening', () =>
    startScreening({
      port: settings.ports.screening,
      portSetting: portVariables.screening,
      standard: 'clean',
      ...KEYS,
    }),
  )
  const accessKeyFile = join(keysFolder, 'screening')
  writeFileSync(accessKeyFile, KEYS.accessKey, { mode: 0o600 })
  const file = writeScreeningFile(settings.dir, emulator.url, accessKeyFile)
  await bringListInForce(databaseUrl)
  return { emulator, file }
}

/** Writes `BURSAR_SCREENING_FILE`. @returns its path */
export function writeScreeningFile(dir: string, url: string, accessKeyFile: string): string {
  const file = join(dir, 'settings', 'screening.json')
  const amlbot = { kind: 'amlbot', url, accessId: KEYS.accessId, accessKeyFile, timeoutMs: 3_000 }
  const providers = [{ kind: 'local-lists' }, { kind: 'issuer-freezes' }, amlbot]
  writeFileSync(file, `${JSON.stringify({ providers, lateAfterMinutes: 1 }, null, 2)}\n`, { mode: 0o600 })
  return file
}

/** The list has today's date at each start, because an old list raises an alert. */
async function bringListInForce(databaseUrl: string): Promise<void> {
  const pool = createPool({ url: databaseUrl, max: 1 })
  try {
    const at = new Date()
    const entries = [{ address: LISTED, asset: 'ETH', name: 'NOBODY (of the sandbox)' }]
    const list = {
      source: 'SANDBOX',
      sha256: createHash('sha256').update(LISTED).digest('hex'),
      date: at.toISOString().slice(0, 10),
      entries,
    }
    await inTransaction(createDb(pool), (tx) => importList(tx, list, false, { at, newId }))
  } finally {
    await pool.end()
  }
}
