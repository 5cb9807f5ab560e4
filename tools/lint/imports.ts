import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'

export interface Import {
  /** the text between the quotes */
  specifier: string
  /** repository path of a relative import's target; undefined for packages */
  target: string | undefined
  typeOnly: boolean
}

export interface SourceFile {
  /** repository path with forward slashes */
  path: string
  text: string
  imports: Import[]
}

const STATEMENT =
  /^[ \t]*(?:import|export)\b(?<clause>[^'"`;]*?)\bfrom\s*['"](?<from>[^'"]+)['"]|^[ \t]*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]\s*\)/gm

/** Returns all imports of a text, including those of types. */
export const importsOf = (path: string, text: string): Import[] =>
  [...text.matchAll(STATEMENT)].map((match) => {
    const { clause, from, bare, dynamic } = match.groups!
    const specifier = (from ?? bare ?? dynamic)!
    const target = specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined
    return { specifier, target, typeOnly: /^\s*type\b/.test(clause ?? '') }
  })

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.bursar'])

/** Returns the TypeScript files in some folders of a repository. */
export const readSources = async (root: string, folders: readonly string[]): Promise<SourceFile[]> => {
  const files: SourceFile[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue
      const full = join(folder, entry.name)
      if (entry.isDirectory()) await walk(full)
      else if (/\.(ts|tsx|mjs)$/.test(entry.name)) {
        const path = relative(root, full).replaceAll('\\', '/')
        const text = await readFile(full, 'utf8')
        files.push({ path, text, imports: importsOf(path, text) })
      }
    }
  }
  for (const folder of folders) await walk(join(root, folder)).catch(ignoreMissing)
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}
