/** bitcoin.conf of a regtest node, and the password in it. */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface NodeSettings {
  readonly rpcPort: number
  readonly rpcPassword: string
  /** Where other nodes may connect; absent: nowhere. */
  readonly peerPort?: number
}

export const rpcUser = 'bursar'

/** Returns the settings of the last start, because a node may still run with them. */
export function readSettings(dataDir: string): NodeSettings | undefined {
  const file = configFile(dataDir)
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const value = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]
  const [rpcPort, rpcPassword, bind] = [value('rpcport'), value('rpcpassword'), value('bind')]
  if (rpcPort === undefined || rpcPassword === undefined) return undefined
  return {
    rpcPort: Number(rpcPort),
    rpcPassword,
    ...(bind === undefined ? {} : { peerPort: Number(bind.split(':')[1]) }),
  }
}

/** Writes the settings to a file, because every user of the machine can read arguments. */
export function writeSettings(dataDir: string, settings: NodeSettings, isKnots: boolean): void {
  const lines = [
    'regtest=1',
    'server=1',
    'txindex=1',
    'fallbackfee=0.00002',
    'dnsseed=0',
    'fixedseeds=0',
    'discover=0',
    'natpmp=0',
    'listenonion=0',
    'dbcache=16',
    'maxmempool=50',
    'rpcthreads=8',
    'rpcworkqueue=256',
    'printtoconsole=1',
    'nodebuglogfile=1',
    ...(isKnots ? ['corepolicy=1'] : []),
    `rpcuser=${rpcUser}`,
    `rpcpassword=${settings.rpcPassword}`,
    '[regtest]',
    'rpcbind=127.0.0.1',
    'rpcallowip=127.0.0.1',
    `rpcport=${settings.rpcPort}`,
    ...(settings.peerPort === undefined ? ['listen=0'] : ['listen=1', `bind=127.0.0.1:${settings.peerPort}`]),
  ]
  writeFileSync(configFile(dataDir), `${lines.join('\n')}\n`, { mode: 0o600 })
  chmodSync(configFile(dataDir), 0o600)
}

export function newPassword(): string {
  return randomBytes(24).toString('hex')
}

function configFile(dataDir: string): string {
  return join(dataDir, 'bitcoin.conf')
}
