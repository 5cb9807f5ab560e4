/** The Unix socket's directory. Only its owner may enter it, which makes trust authentication safe. */
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canEnter } from './run-as.ts'
import type { RunAs } from './run-as.ts'

/** The port only names the socket file; nothing listens on TCP. */
const socketPort = 5432

/** sun_path without its closing zero, Linux 107, macOS 103: the smaller serves both. */
const longestSocketPath = 103

/**
 * Creates the wanted directory, or a short one in /tmp when the path is too long for a socket or inaccessible to the
 * server.
 */
export function prepareSocketDir(wished: string, runAs: RunAs): string {
  const fits = Buffer.byteLength(socketFile(wished)) <= longestSocketPath
  if (fits) {
    mkdirSync(dirname(wished), { recursive: true })
    if (canEnter(runAs, dirname(wished)) && claim(wished, runAs)) return wished
  }
  const uid = runAs.owner?.uid ?? process.geteuid?.() ?? 0
  const short = `/tmp/bursar-${uid}-${createHash('sha256').update(wished).digest('hex').slice(0, 12)}`
  if (claim(short, runAs)) return short
  const fresh = mkdtempSync('/tmp/bursar-')
  claim(fresh, runAs)
  return fresh
}

function socketFile(dir: string): string {
  return join(dir, `.s.PGSQL.${socketPort}`)
}

/**
 * Call this only when no server uses the directory: an unclean end leaves these files, and a reused pid would make them
 * look live.
 */
export function clearStaleSocket(dir: string): void {
  rmSync(socketFile(dir), { force: true })
  rmSync(`${socketFile(dir)}.lock`, { force: true })
}

/** Removes the directory, which is empty after an orderly end; the next start creates it again. */
export function removeSocketDir(dir: string): void {
  try {
    rmdirSync(dir)
  } catch {}
}

/** The form that `pg` and kysely read: an empty host, the socket's directory as the `host` parameter. */
export function socketUrl(dir: string, database: string): string {
  return `postgres:///${database}?host=${encodeURIComponent(dir)}&user=postgres`
}

/** False when the directory belongs to another receiver, who could then read our traffic. */
function claim(dir: string, runAs: RunAs): boolean {
  if (!existsSync(dir)) mkdirSync(dir, { mode: 0o700 })
  const found = lstatSync(dir)
  const us = process.geteuid?.()
  const trusted =
    found.isDirectory() && (us === 0 ? found.uid === 0 || found.uid === runAs.owner?.uid : found.uid === us)
  if (!trusted) return false
  if (runAs.owner !== undefined) chownSync(dir, runAs.owner.uid, runAs.owner.gid)
  chmodSync(dir, 0o700)
  return true
}
