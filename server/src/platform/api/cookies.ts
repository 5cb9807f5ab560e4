import type { PageRequest } from './page.ts'

/**
 * Attributes of a cookie whose name begins with `__Host-`. The browser sends it only to this host, over TLS (or to this
 * machine), and hides it from scripts. `Lax` keeps it when a person follows a link of another site.
 */
export const COOKIE_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** Returns the value of the first cookie of that name. */
export const cookieIn = ({ headers }: Pick<PageRequest, 'headers'>, name: string): string | undefined =>
  (headers['cookie'] ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
