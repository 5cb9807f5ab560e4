/** In the long tier: it takes two minutes, and needs the git history. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isLong } from '../setup/cases.ts'

test.skipIf(!isLong)(
  'the previous release is upgraded under load: no answer with 5xx, nothing lost, nothing twice, each notification delivered once',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts')])
    expect(stdout).toMatch(/^\d{2,} migrations under load/m)
    expect(stdout).toMatch(/^\d{2,} orders came to their end/m)
  },
)
