import { operations, type Operation } from '@bursar/contract'
import type { Route } from '../../platform/api/route.ts'
import { createOperation, type EdgeDeps, type OperationHandler } from './operation.ts'

/** The handler of one method and path. */
export interface Endpoint extends OperationHandler {
  operation: Operation
}

/** Finds the endpoint of a method and a raw path; HEAD is served as GET (RFC 9110, 9.3.2). */
export type Dispatch = (method: string, path: string) => { endpoint: Endpoint; id: string } | undefined

/**
 * Maps all operations of the contract by their paths as sent: nothing is decoded or normalised, so each path has one
 * spelling. Throws for a route without an operation.
 */
export const createDispatch = (routes: readonly Route[], deps: EdgeDeps): Dispatch => {
  const byOperation = new Map(routes.map((route) => [route.operation, route]))
  const unknown = routes.filter((route) => !operations.some(({ id }) => id === route.operation))
  if (unknown.length > 0) throw new Error(`no such operation: ${unknown.map((route) => route.operation).join(', ')}`)
  const fixed = new Map<string, { endpoint: Endpoint; id: string }>()
  const patterns: { method: string; pattern: RegExp; endpoint: Endpoint }[] = []
  for (const operation of operations) {
    for (const { path, alsoSignedAs } of pathsOf(operation)) {
      const endpoint = { operation, ...createOperation(operation, byOperation.get(operation.id), alsoSignedAs, deps) }
      if (path.includes(':id')) patterns.push({ method: operation.method, pattern: patternOf(path), endpoint })
      else fixed.set(`${operation.method} ${path}`, { endpoint, id: '' })
    }
  }
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'GET' : asked
    const found = fixed.get(`${method} ${path}`)
    if (found) return found
    for (const { method: its, pattern, endpoint } of patterns) {
      const id = its === method ? pattern.exec(path)?.[1] : undefined
      if (id !== undefined) return { endpoint, id }
    }
    return undefined
  }
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(':id', '([A-Za-z0-9_-]{1,64})')}$`)

/** An operation's own path and its aliases, each with and without a trailing slash. */
const pathsOf = ({ path, aliases }: Operation): { path: string; alsoSignedAs: string | undefined }[] => {
  const plain = [
    { path, alsoSignedAs: undefined },
    ...aliases.map((alias) => ({ path: alias.path, alsoSignedAs: alias.alsoSignedAs })),
  ]
  const all = plain.flatMap((one) => {
    if (one.path.endsWith('/')) return [one]
    return [one, { path: `${one.path}/`, alsoSignedAs: one.alsoSignedAs && `${one.alsoSignedAs}/` }]
  })
  return [...new Map(all.map((one) => [one.path, one])).values()]
}
