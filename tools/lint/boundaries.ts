import { findCycle } from './cycles.ts'
import type { Import, SourceFile } from './imports.ts'

/** What a package or part of the repository may import. Node's own modules are listed as `node:`. */
const PARTS: { at: RegExp; may: RegExp; says: string }[] = [
  { at: /^contract\/src\//, may: /^typebox(\/|$)/, says: 'contract imports typebox only' },
  {
    at: /^chainkit\/src\//,
    may: /^(@noble\/|@scure\/|micro-packed)/,
    says: 'chainkit is pure: no I/O',
  },
  {
    at: /^signer\/src\//,
    may: /^(@bursar\/chainkit|@noble\/|@scure\/|node:)/,
    says: 'the signer has few dependencies',
  },
  { at: /^web\/checkout\/src\//, may: /^(uqr|node:crypto)$/, says: 'pages are pure: no I/O' },
  { at: /^sdk\/src\//, may: /^node:crypto$/, says: 'the SDK has no runtime dependency' },
]

/** Levels of the server: a folder imports from its own level or a lower one. */
const LEVELS: Record<string, number> = {
  base: 0,
  money: 1,
  db: 1,
  jobs: 2,
  ledger: 2,
  platform: 2,
  outbound: 2,
  documents: 2,
  letters: 2,
  adapters: 2,
  http: 4,
  watcher: 4,
  app: 5,
  cli: 6,
}
const ROOM_LEVEL = 3
/** Commands stand on the composition in `app`, `main.ts` on them. */
const MAIN_LEVEL = 7
/** Files that may use an adapter's code; anyone may name its types. */
const TALKS_TO_ADAPTERS =
  /^server\/src\/([^/]+\/([^/]+\/)?jobs(-[a-z]+)?\.ts$|watcher\/|adapters\/|app\/|cli\/)|\.test\.ts$|\/test-[^/]+\.ts$/
const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|common|misc|types)(\.|\/)/

const roomOf = (path: string): string | undefined => /^server\/src\/([^/]+)\//.exec(path)?.[1]
const levelOf = (path: string): number => {
  const room = roomOf(path)
  if (room === undefined) return MAIN_LEVEL
  return LEVELS[room] ?? ROOM_LEVEL
}
const isTest = (path: string): boolean => /\.test\.tsx?$|^test\/|\/test-[^/]+\.ts$/.test(path)

/** Every way the sources break the direction of imports, one line each. */
export const findViolations = (files: readonly SourceFile[]): string[] => {
  const known = new Set(files.map((file) => file.path))
  const found: string[] = []
  for (const file of files) {
    if (FORBIDDEN_NAMES.test(file.path)) found.push(`${file.path}: a file is named for what it does`)
    for (const one of file.imports)
      found.push(...judgeImport(file.path, one).map((why) => `${file.path} -> ${one.specifier}: ${why}`))
    for (const { target, specifier } of file.imports) {
      if (target !== undefined && /\.(ts|tsx|mjs)$/.test(target) && !known.has(target))
        found.push(`${file.path} -> ${specifier}: no such file`)
    }
  }
  const cycle = findCycle(graphOf(files))
  if (cycle) found.push(`import cycle: ${cycle.join(' -> ')}`)
  const rooms = findCycle(roomGraphOf(files))
  if (rooms) found.push(`rooms import each other: ${rooms.join(' -> ')}`)
  return found
}

const judgeImport = (path: string, one: Import): string[] => {
  if (one.target === undefined) return judgePackage(path, one.specifier)
  const found: string[] = []
  const [room, other] = [roomOf(path), roomOf(one.target)]
  if (path.startsWith('server/src/') && !isTest(path)) {
    if (!one.target.startsWith('server/src/')) found.push('the server imports its packages by name and nothing else')
    if (levelOf(one.target) > levelOf(path)) found.push('imports point down')
    if (
      room !== undefined &&
      other !== undefined &&
      room !== other &&
      levelOf(one.target) === ROOM_LEVEL &&
      !one.target.endsWith('/index.ts')
    ) {
      found.push('rooms meet through index.ts')
    }
  }
  if (room === 'adapters' && other !== undefined && !['adapters', 'base', 'money'].includes(other) && !isTest(path)) {
    found.push('adapters know no database and no room')
  }
  if (other === 'adapters' && room !== 'adapters' && !one.typeOnly && !TALKS_TO_ADAPTERS.test(path)) {
    found.push('only jobs and the watcher talk to adapters')
  }
  const [part, otherPart] = [path.split('/')[0], one.target.split('/')[0]]
  if (PARTS.some(({ at }) => at.test(path)) && part !== otherPart && !isTest(path))
    found.push('a package imports others by name')
  return found
}

const judgePackage = (path: string, specifier: string): string[] => {
  const broken = PARTS.filter(({ at, may }) => at.test(path) && !isTest(path) && !may.test(specifier)).map(
    ({ says }) => says,
  )
  if (specifier === '@bursar/chainkit/signing' && !path.startsWith('signer/'))
    broken.push('only the signer takes private keys')
  const signer =
    specifier.startsWith('@bursar/signer') &&
    specifier !== '@bursar/signer/client' &&
    specifier !== '@bursar/signer/refusals'
  if (signer && path.startsWith('server/'))
    broken.push('the server knows the signer by its client only, and its refusals by name')
  return broken
}

const graphOf = (files: readonly SourceFile[]): Map<string, Set<string>> =>
  new Map(files.map((file) => [file.path, new Set(file.imports.flatMap(({ target }) => (target ? [target] : [])))]))

const roomGraphOf = (files: readonly SourceFile[]): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const room = roomOf(file.path)
    if (room === undefined || isTest(file.path)) continue
    const out = graph.get(room) ?? new Set()
    graph.set(room, out)
    for (const { target } of file.imports) {
      const other = target === undefined ? undefined : roomOf(target)
      if (other !== undefined && other !== room) out.add(other)
    }
  }
  return graph
}
