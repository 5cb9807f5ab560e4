/** A folder for a test file, gone after its last test, passed or failed; what a killed run leaves the next one removes. */
import { afterAll, beforeAll } from 'vitest'
import { makeScratch, type Scratch } from './scratch.ts'

/** For the top of a test file. Read `path` inside hooks and tests only. */
export function useFolder(purpose: string): { readonly path: string } {
  let scratch: Scratch | undefined
  beforeAll(async () => {
    scratch = await makeScratch(purpose)
  })
  afterAll(() => scratch?.remove())
  return {
    get path() {
      if (scratch === undefined) throw new Error('useFolder: the path exists only inside hooks and tests')
      return scratch.dir
    },
  }
}
