/** The values that the global setup gives to every test file through vitest's `inject`. */
import 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser's connection to the one test server. Make databases with `database.ts`; don't use this one's own. */
    postgresUrl: string
    /** Part of every database name of this run, so that two runs on one server don't meet. */
    runId: string
    /** Where a test file asks for its turn at the shared sandbox (`test/system/shared-sandbox.ts`). */
    sandboxPort: number
    /** Where a test file finds or builds the packages (`tools/package/built-packages.ts`). */
    packagesFolder: string
  }
}
