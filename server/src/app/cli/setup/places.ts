/** Where an installation has its files, and who may read each. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export interface Places {
  /** folder of the settings files of the server */
  server: string
  /** folder of the signer */
  signer: string
  /** the command of the signer */
  signerCommand: string
}

/** The places of the Debian packages. */
export const PACKAGED: Places = {
  server: '/etc/bursar',
  signer: '/etc/bursar-signer',
  signerCommand: '/usr/bin/bursar-signer',
}

interface Owner {
  user: number
  group: number
}

/** The users and groups that the packages make. */
export interface Owners {
  root: Owner
  /** root, and the group of all roles and operators */
  roles: Owner
  /** root, and the group of the worker alone */
  worker: Owner
  /** root, and the group of operators alone: no role is in it */
  operators: Owner
  signer: Owner
}

/** Finds the users and groups. @throws Error that names the package that makes a missing one */
export const findOwners = (): Owners => {
  const group = (name: string): number => idIn('group', name)
  return {
    root: { user: 0, group: 0 },
    roles: { user: 0, group: group('bursar') },
    worker: { user: 0, group: group('bursar-worker') },
    operators: { user: 0, group: group('bursar-operator') },
    signer: { user: idIn('passwd', 'bursar-signer'), group: group('bursar-signer') },
  }
}

const idIn = (table: 'passwd' | 'group', name: string): number => {
  try {
    return Number(
      execFileSync('getent', [table, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(':')[2],
    )
  } catch (error) {
    const what = table === 'group' ? 'group' : 'user'
    throw new Error(`there is no ${what} ${name}: install the packages of this version first: bursar, bursar-signer`, {
      cause: error,
    })
  }
}

/** A file that setup makes once. */
export interface NewFile {
  path: string
  owner: Owner
  mode: 0o600 | 0o640
}

/**
 * Writes a file that must not exist. It appears whole, with its owner and mode, and is on the disk. @throws Error with
 * the code EEXIST
 */
export const writeOnce = ({ path, owner, mode }: NewFile, text: string): void => {
  const draft = `${path}.draft`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, text)
    fchownSync(file, owner.user, owner.group)
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } finally {
    rmSync(draft)
  }
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The files of an installation by subject. */
export const filesOf = ({ server, signer }: Places, owners: Owners) => {
  const inServer = (name: string, owner: Owner, mode: NewFile['mode'] = 0o640): NewFile => ({
    path: join(server, name),
    owner,
    mode,
  })
  const inSigner = (name: string): NewFile => ({ path: join(signer, name), owner: owners.signer, mode: 0o600 })
  return {
    passphrase: inSigner('passphrase'),
    seed: inSigner('seed.json'),
    policy: inSigner('policy.json'),
    signerEnv: inSigner('signer.env'),
    certificates: {
      signerCa: inSigner('ca.pem'),
      signerCert: inSigner('cert.pem'),
      signerKey: inSigner('key.pem'),
      clients: inSigner('clients'),
      ca: inServer('signer-ca.pem', owners.roles),
      workerCert: inServer('worker-cert.pem', owners.roles),
      workerKey: inServer('worker-key.pem', owners.worker),
      operatorCert: inServer('operator-cert.pem', owners.roles),
      operatorKey: inServer('operator-key.pem', owners.operators),
    },
    wallet: inServer('wallet.json', owners.roles),
    networks: inServer('networks.json', owners.roles),
    assets: inServer('assets.json', owners.roles),
    dataKey: inServer('data-key', owners.roles),
    smtpPassword: inServer('smtp-password', owners.roles),
    shared: inServer('bursar.env', owners.roles),
    roles: {
      owner: inServer('owner.env', owners.root, 0o600),
      api: inServer('api.env', owners.root, 0o600),
      worker: inServer('worker.env', owners.root, 0o600),
      watcher: inServer('watcher.env', owners.root, 0o600),
      operator: inServer('operator.env', owners.operators),
    },
  }
}
export type Files = ReturnType<typeof filesOf>

export const exists = ({ path }: NewFile): boolean => existsSync(path)
