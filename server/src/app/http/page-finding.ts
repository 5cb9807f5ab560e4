import type { PageRoute } from '../../platform/api/page.ts'

/** A page's route and what stands for the names in its path. */
export interface FoundPage {
  route: PageRoute
  params: Readonly<Record<string, string>>
}

/** Finds the page of a method and a raw path; for a path that exists and is asked for in another way, in which ways. */
export type FindPage = (method: string, path: string) => FoundPage | { allowed: readonly string[] } | undefined

interface Pattern {
  method: string
  segments: readonly string[]
  route: PageRoute
}

/** Throws for two routes with one method and path. */
export const createPageFinder = (routes: readonly PageRoute[]): FindPage => {
  const seen = new Set<string>()
  const patterns = routes.map((route): Pattern => {
    const key = `${route.method} ${route.path.replaceAll(/\{[^}]*\}/g, '{}')}`
    if (seen.has(key)) throw new Error(`two pages have one path: ${route.method} ${route.path}`)
    seen.add(key)
    return { method: route.method, segments: route.path.split('/').slice(1), route }
  })
  return (method, path) => {
    const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/').slice(1)
    const allowed: string[] = []
    for (const pattern of patterns) {
      const params = match(pattern.segments, segments)
      if (params === undefined) continue
      if (pattern.method === (method === 'HEAD' ? 'GET' : method)) return { route: pattern.route, params }
      allowed.push(...(pattern.method === 'GET' ? ['GET', 'HEAD'] : [pattern.method]))
    }
    return allowed.length > 0 ? { allowed } : undefined
  }
}

const match = (pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined => {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, one] of pattern.entries()) {
    const segment = segments[i]!
    if (!one.startsWith('{')) {
      if (one !== segment) return undefined
      continue
    }
    const value = decodeSegment(segment)
    if (value === undefined) return undefined
    params[one.slice(1, -1)] = value
  }
  return params
}

/** What is no valid percent-encoding of visible text names nothing. */
const decodeSegment = (segment: string): string | undefined => {
  if (segment === '') return undefined
  try {
    const value = decodeURIComponent(segment)
    return /\p{Cc}/u.test(value) ? undefined : value
  } catch {
    return undefined
  }
}
