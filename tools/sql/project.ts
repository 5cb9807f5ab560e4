/**
 * Opens the sources of this repository with the TypeScript compiler's API. TypeScript 7 calls it unstable, so only this
 * file imports it.
 */
import { API, SymbolFlags, TypeFlags, type Checker, type Symbol, type Type } from 'typescript/unstable/sync'
import { SyntaxKind, type Node, type SourceFile } from 'typescript/unstable/ast'

export { SymbolFlags, SyntaxKind, TypeFlags }
export type * from 'typescript/unstable/ast'
export type { Symbol, Type }

export interface Sources {
  readonly checker: Checker
  /** Files to check, by repository path. */
  readonly files: ReadonlyMap<string, SourceFile>
  /** Returns a node's place, such as `server/src/x.ts:12`. */
  placeOf(node: Node): string
  close(): void
}

/** Reads the files of a project whose paths are wanted. @param root folder of `config`, absolute */
export const openSources = (root: string, config: string, isWanted: (path: string) => boolean): Sources => {
  const api = new API({ cwd: root })
  const project = api.updateSnapshot({ openProject: config }).getProjects()[0]!
  const prefix = root.endsWith('/') ? root : `${root}/`
  const files = new Map(
    project.rootFiles
      .filter((file) => file.startsWith(prefix) && isWanted(file.slice(prefix.length)))
      .map((file) => [file.slice(prefix.length), project.program.getSourceFile(file)!]),
  )
  return {
    checker: project.checker,
    files,
    placeOf: (node) => {
      const source = node.getSourceFile()
      return `${source.fileName.slice(prefix.length)}:${source.text.slice(0, node.getStart()).split('\n').length}`
    },
    close: () => api.close(),
  }
}

/** Yields a node and all its descendants. */
export function* walk(node: Node): Generator<Node> {
  yield node
  const children: Node[] = []
  node.forEachChild((child) => void children.push(child))
  for (const child of children) yield* walk(child)
}
