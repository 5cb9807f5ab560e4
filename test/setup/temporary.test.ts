import { execFile } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from './temporary.ts'

const root = new URL('../../', import.meta.url).pathname
/** Of this process: another run in the same checkout has its own. */
const name = `test/setup/zz-leaving-${process.pid}.probe.ts`
const probe = join(root, name)
afterAll(() => rmSync(probe, { force: true }))

test('folders of a test file are there for all of it, and gone after it although a test failed', async () => {
  expect(existsSync(temporaryFolder('own'))).toBe(true)
  const helper = new URL('./temporary.ts', import.meta.url).href
  writeFileSync(
    probe,
    `import { writeFileSync } from 'node:fs'
import { afterAll, test } from 'vitest'
import { temporaryFolder } from '${helper}'
const dir = temporaryFolder('leaving')
afterAll(() => writeFileSync(dir + '/late', 'still here'))
test('fails', () => {
  console.log('folder ' + dir)
  throw new Error('it fails')
})
`,
  )
  const config = join(temporaryFolder('config'), 'vitest.config.ts')
  writeFileSync(
    config,
    `export default { root: ${JSON.stringify(root)}, test: { include: [${JSON.stringify(name)}], setupFiles: ['test/setup/cleaning.ts'] } }`,
  )
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run', '--config', config], {
    cwd: root,
  }).catch((error: { stdout: string }) => error)
  const dir = /folder (\S+)/.exec(stdout)?.[1]
  expect(dir, stdout).toContain(join(tmpdir(), 'bursar-test-files-'))
  expect(stdout).toContain('1 failed')
  expect(stdout).not.toContain('ENOENT')
  expect(existsSync(dir!)).toBe(false)
  expect(readdirSync(tmpdir())).not.toContain(dir!.split('/').at(-2))
})
