import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA, hashOfFile, placesOf, SETTINGS, type Backup } from './folder.ts'
import { ProgramFailed, runProgram, type Programs } from './programs.ts'
import { readCopy } from './signer-copy.ts'
import { checkReceived, fileOf, readReceived } from './wal.ts'

/**
 * Checks a backup without the log that was received since: every file of the base backup by PostgreSQL's manifest, that
 * manifest and the settings by ours, and the copy of the signer's log. Reads every byte.
 * @returns the faults
 */
export const verifyOwn = async (programs: Programs, folder: string, { path, manifest }: Backup): Promise<string[]> => {
  const places = placesOf(folder)
  const problems: string[] = []
  const data = join(path, DATA)
  if ((await hashOrNull(join(data, 'backup_manifest'))) !== manifest.backupManifest)
    problems.push('backup_manifest is not the one that was written')
  await runProgram(programs, 'pg_verifybackup', ['--quiet', data]).catch((error: unknown) => {
    if (!(error instanceof ProgramFailed)) throw error
    problems.push(error.message)
  })
  const settings = join(path, SETTINGS)
  const names = await readdir(settings).catch(() => [] as string[])
  for (const name of new Set([...names, ...Object.keys(manifest.settings)]))
    if ((await hashOrNull(join(settings, name))) !== manifest.settings[name])
      problems.push(`settings/${name} is not the file that was written`)
  if (manifest.signerLog)
    await readCopy(places.signerLog, manifest.signerLog).catch((error: unknown) => {
      problems.push((error as Error).message)
    })
  return problems
}

/**
 * Checks a backup, and the log that was received since. Reads every byte.
 * @returns the faults, and the time up to which the log was received
 */
export const verifyBackup = async (
  programs: Programs,
  folder: string,
  backup: Backup,
): Promise<{ problems: string[]; newestAt: Date | null }> => {
  const problems = await verifyOwn(programs, folder, backup)
  const received = await verifyReceived(programs, folder, backup)
  return { problems: [...problems, ...received.problems], newestAt: received.newestAt }
}

/** Checks the log that was received since a backup. Reads every byte. */
export const verifyReceived = async (
  programs: Programs,
  folder: string,
  { manifest }: Backup,
): Promise<{ problems: string[]; newestAt: Date | null }> => {
  const places = placesOf(folder)
  const { end, segmentBytes } = manifest.wal
  const since = { from: fileOf(end, manifest.database.timeline, segmentBytes), segmentBytes }
  const received = await checkReceived(places.wal, since)
  const problems = [...received.problems]
  // Files that are missing or cut have their own sentence.
  if (problems.length === 0) problems.push(...(await readReceived(programs, places.wal, since)))
  return { problems, newestAt: received.newestAt }
}

const hashOrNull = (path: string): Promise<string | null> => hashOfFile(path).catch(() => null)
