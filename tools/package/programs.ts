/** The programs that are packaged: their entry points, the workspaces that they import, and their packages. */

/** A workspace that a program imports, with the subpaths of its `exports` that it uses. */
export interface Workspace {
  /** folder below the root of the repository */
  folder: string
  name: `@bursar/${string}`
  exports: readonly string[]
}

export interface Program {
  /** name of the command, of the tarball and of the Debian package */
  name: string
  /** one line, for the description of the package */
  summary: string
  /** the source that the command starts */
  main: string
  /** sources that are started in a thread or a process of their own, by their path */
  started: readonly string[]
  /** folders of files that are read at run time, copied as they are */
  data: readonly string[]
  workspaces: readonly Workspace[]
  /** folders whose package.json names the third-party packages that the program needs */
  manifests: readonly string[]
}

const CHAINKIT: Workspace = {
  folder: 'chainkit',
  name: '@bursar/chainkit',
  exports: ['.', './bitcoin', './evm', './signing', './tron'],
}

export const SIGNER: Program = {
  name: 'bursar-signer',
  summary: 'Signer of Bursar: the only process with private keys',
  main: 'signer/src/main.ts',
  started: [],
  data: [],
  workspaces: [CHAINKIT],
  manifests: ['signer', 'chainkit'],
}

export const SERVER: Program = {
  name: 'bursar',
  summary: 'Bursar: self-hosted merchant payments (api, worker, watcher and commands)',
  main: 'server/src/main.ts',
  started: ['server/src/merchants/documents/thread.ts', 'server/src/adapters/venues/ccxt/process.ts'],
  data: ['server/src/platform/db/migrations'],
  workspaces: [
    CHAINKIT,
    { folder: 'contract', name: '@bursar/contract', exports: ['.', './openapi', './vectors'] },
    { folder: 'sdk', name: '@bursar/sdk', exports: ['.'] },
    { folder: 'signer', name: '@bursar/signer', exports: ['./client', './refusals'] },
    {
      folder: 'web/checkout',
      name: '@bursar/checkout',
      exports: ['.', './amounts', './document', './html', './icons', './links', './logo', './parts', './qr'],
    },
  ],
  manifests: ['.', 'chainkit', 'contract', 'web/checkout'],
}

export const PROGRAMS: readonly Program[] = [SERVER, SIGNER]
