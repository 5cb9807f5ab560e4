/** Where an installation has its files, and who may read each. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
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
  /** root, and the group of the backup alone */
  backup: Owner
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
    backup: { user: 0, group: group('bursar-backup') },
    signer: findSigner(),
  }
}

/** Finds the user of the signer. @throws Error that names the package that makes it */
export const findSigner = (): Owner => ({
  user: idIn('passwd', 'bursar-signer'),
  group: idIn('group', 'bursar-signer'),
})

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

/** A sentence about a file that can't be made again; none while it exists. */
export const problemOfMissing = (file: NewFile, why: string): string[] =>
  exists(file) ? [] : [`${file.path} is missing, and ${why}: put it back from its backup`]

/** The text of a file with JSON. */
export const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Reads a file as JSON. @throws Error that names it */
export const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} can't be read as JSON: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Reads a file that setup made. Its folder may belong to another user, who must not make root copy a file of root.
 * @throws Error for a link, and for anything else than a file
 */
export const readMade = ({ path }: Pick<NewFile, 'path'>): string => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is no file`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/**
 * Writes files that are good only together. A journal has the contents of all until each is written, so that the next
 * run completes what was interrupted.
 * @param make returns the contents, in the order of the files
 */
export const writeTogether = (journal: NewFile, files: readonly NewFile[], make: () => readonly string[]): void => {
  if (!exists(journal)) writeOnce(journal, JSON.stringify(make()))
  const texts = JSON.parse(readMade(journal)) as string[]
  if (texts.length !== files.length)
    throw new Error(`${journal.path} is of a setup with other answers: run setup again with those answers`)
  files.forEach((file, at) => {
    if (!exists(file)) writeOnce(file, texts[at]!)
  })
  rmSync(journal.path)
}

/** The files of the signer's machine. */
export const signerFilesOf = (folder: string, owner: Owner) => {
  const file = (name: string): NewFile => ({ path: join(folder, name), owner, mode: 0o600 })
  return {
    passphrase: file('passphrase'),
    seed: file('seed.json'),
    policy: file('policy.json'),
    signerEnv: file('signer.env'),
    /** of the signer itself */
    cert: file('cert.pem'),
    key: file('key.pem'),
    /** on a machine of its own: the authority of its certificate */
    ownCa: file('own-ca.pem'),
    /** the authority of the clients, and the list of them */
    clientsCa: file('ca.pem'),
    clients: file('clients'),
    /** for the server on another machine */
    forServer: file('for-server.json'),
    /** secret and short-lived: see `writeTogether` */
    journal: {
      path: join(folder, 'certificates.journal'),
      owner: { user: process.geteuid!(), group: process.getegid!() },
      mode: 0o600,
    } as NewFile,
  }
}
export type SignerFiles = ReturnType<typeof signerFilesOf>

/** The files of an installation by subject. */
export const filesOf = ({ server, signer }: Places, owners: Owners) => {
  const inServer = (name: string, owner: Owner, mode: NewFile['mode'] = 0o640): NewFile => ({
    path: join(server, name),
    owner,
    mode,
  })
  return {
    signer: signerFilesOf(signer, owners.signer),
    /** the authority of the signer's certificate */
    signerCa: inServer('signer-ca.pem', owners.roles),
    clients: {
      worker: { cert: inServer('worker-cert.pem', owners.roles), key: inServer('worker-key.pem', owners.worker) },
      operator: {
        cert: inServer('operator-cert.pem', owners.roles),
        key: inServer('operator-key.pem', owners.operators),
      },
      backup: {
        cert: inServer('backup-signer-cert.pem', owners.roles),
        key: inServer('backup-signer-key.pem', owners.backup),
      },
    },
    /** for a signer on another machine: the authority of the clients, and the file for that machine */
    clientsCa: inServer('signer-clients-ca.pem', owners.roles),
    forSigner: inServer('for-signer.json', owners.root, 0o600),
    /** secret and short-lived: see `writeTogether` */
    journal: inServer('certificates.journal', owners.root, 0o600),
    wallet: inServer('wallet.json', owners.roles),
    networks: inServer('networks.json', owners.roles),
    assets: inServer('assets.json', owners.roles),
    acquirers: inServer('acquirers.json', owners.roles),
    dataKey: inServer('data-key', owners.roles),
    cardKey: inServer('card-key', owners.roles),
    smtpPassword: inServer('smtp-password', owners.roles),
    shared: inServer('bursar.env', owners.roles),
    roles: {
      owner: inServer('owner.env', owners.root, 0o600),
      api: inServer('api.env', owners.root, 0o600),
      worker: inServer('worker.env', owners.root, 0o600),
      watcher: inServer('watcher.env', owners.root, 0o600),
      operator: inServer('operator.env', owners.operators),
    },
    backup: {
      url: inServer('backup.url', owners.backup),
      env: inServer('backup.env', owners.root, 0o600),
      recipient: inServer('backup-recipient.pem', owners.roles),
    },
  }
}
export type Files = ReturnType<typeof filesOf>

export const exists = ({ path }: NewFile): boolean => existsSync(path)
