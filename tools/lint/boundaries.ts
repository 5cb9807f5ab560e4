import { findCycle } from './cycles.ts'
import type { Import, SourceFile } from './imports.ts'

/** The allowed imports of each package or part of the repository. Node's own modules are listed as `node:`. */
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

/**
 * The districts of the server, lowest first. A district imports from lower levels only; its own modules import each
 * other without a cycle.
 */
const LEVELS: readonly (readonly string[])[] = [
  ['platform'],
  ['adapters'],
  ['market', 'merchants'],
  ['people'],
  ['ledger'],
  ['chain'],
  ['risk', 'cards', 'treasury'],
  ['pay-in', 'pay-out'],
  ['exchange'],
  ['dashboard'],
  ['app'],
]
/** Districts whose files are imported by their own names; a module of any other is entered through its index.ts. */
const OPEN = new Set(['platform', 'adapters', 'app'])
/** The parts of the server that the adapters may import beside their own files. */
const ADAPTERS_MAY = new Set(['platform/base', 'platform/money', 'platform/config'])
/** Files that may use an adapter's code; every file may name its types. */
const TALKS_TO_ADAPTERS =
  /^server\/src\/(([^/]+\/){1,3}jobs(-[a-z]+)?\.ts$|chain\/watcher\/|adapters\/|app\/)|^test\/|\.test\.ts$|\/test-[^/]+\.ts$/
const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|common|misc|types)(\.|\/)/

const districtOf = (path: string): string | undefined => /^server\/src\/([^/]+)\//.exec(path)?.[1]
/** `district/module`; a file that stands beside the modules is of none. */
const moduleOf = (path: string): string | undefined => /^server\/src\/([^/]+\/[^/]+)\//.exec(path)?.[1]
/** `main.ts` stands above all districts. */
const levelOf = (path: string): number => {
  const district = districtOf(path)
  return district === undefined ? LEVELS.length : LEVELS.findIndex((names) => names.includes(district))
}
const isTest = (path: string): boolean => /\.test\.tsx?$|^test\/|\/test-[^/]+\.ts$/.test(path)

/** Every way the sources break the direction of imports, one line each. */
export const findViolations = (files: readonly SourceFile[]): string[] => {
  const known = new Set(files.map((file) => file.path))
  const found: string[] = []
  for (const file of files) {
    if (file.path.startsWith('server/src/') && levelOf(file.path) < 0) found.push(`${file.path}: in no district`)
    if (FORBIDDEN_NAMES.test(file.path)) found.push(`${file.path}: a file is named for its subject`)
    for (const one of file.imports)
      found.push(...judgeImport(file.path, one).map((why) => `${file.path} -> ${one.specifier}: ${why}`))
    for (const { target, specifier } of file.imports) {
      if (target !== undefined && /\.(ts|tsx|mjs)$/.test(target) && !known.has(target))
        found.push(`${file.path} -> ${specifier}: no such file`)
    }
  }
  const cycle = findCycle(graphOf(files))
  if (cycle) found.push(`import cycle: ${cycle.join(' -> ')}`)
  const modules = findCycle(moduleGraphOf(files))
  if (modules) found.push(`modules import each other: ${modules.join(' -> ')}`)
  return found
}

const judgeImport = (path: string, one: Import): string[] => {
  if (one.target === undefined) return judgePackage(path, one.specifier)
  const found: string[] = []
  const [district, module, otherDistrict, other] = [
    districtOf(path),
    moduleOf(path),
    districtOf(one.target),
    moduleOf(one.target),
  ]
  if (path.startsWith('server/src/') && !isTest(path)) {
    if (!one.target.startsWith('server/src/')) found.push('the server imports its packages by name and nothing else')
    if (otherDistrict !== district && levelOf(one.target) >= levelOf(path)) found.push('imports point down')
    if (
      module !== other &&
      otherDistrict !== undefined &&
      !OPEN.has(otherDistrict) &&
      !one.target.endsWith('/index.ts')
    )
      found.push('modules meet through index.ts')
  }
  if (
    district === 'adapters' &&
    otherDistrict !== 'adapters' &&
    !ADAPTERS_MAY.has(other ?? '') &&
    one.target.startsWith('server/src/') &&
    !isTest(path)
  ) {
    found.push('adapters know no database and no module')
  }
  if (otherDistrict === 'adapters' && district !== 'adapters' && !one.typeOnly && !TALKS_TO_ADAPTERS.test(path)) {
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

const moduleGraphOf = (files: readonly SourceFile[]): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const module = moduleOf(file.path)
    if (module === undefined || isTest(file.path)) continue
    const out = graph.get(module) ?? new Set()
    graph.set(module, out)
    for (const { target } of file.imports) {
      const other = target === undefined ? undefined : moduleOf(target)
      if (other !== undefined && other !== module) out.add(other)
    }
  }
  return graph
}
