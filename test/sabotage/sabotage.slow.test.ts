/** `npm run sabotage -- --some 10`: ten faults, which the hash of the last commit chooses. All take several minutes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('ten known faults that are put in again, one at a time, are each found by the test that is named for it', async () => {
  const child = spawn(process.execPath, ['tools/sabotage.ts', '--some', '10'], { cwd: root, stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  expect(output.match(/^(found|hung) /gm), output).toHaveLength(10)
  expect(child.exitCode, output).toBe(0)
})
