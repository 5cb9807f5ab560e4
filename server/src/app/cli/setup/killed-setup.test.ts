/** A setup that is killed while openssl makes its certificates leaves no private key in a temporary folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../../test/setup/temporary.ts'

const folder = temporaryFolder('killed-setup')
const openssl = execFileSync('sh', ['-c', 'command -v openssl'], { encoding: 'utf8' }).trim()
const certificates = new URL('./certificates.ts', import.meta.url).pathname

test.each(['before', 'after'] as const)(
  'killed %s each call of openssl, it leaves certificates and no private key',
  (when) => {
    for (let call = 1; ; call += 1) {
      const place = join(folder, `${when}-${call}`)
      const [programs, temporary] = [join(place, 'bin'), join(place, 'tmp')]
      for (const made of [programs, temporary]) mkdirSync(made, { recursive: true })
      const kill = `[ "$n" -lt ${call} ] || kill -9 "$KILLED"`
      const lines = ['#!/bin/sh', `echo x >>'${place}/calls'`, `n=$(wc -l <'${place}/calls')`]
      if (when === 'before') lines.push(kill, `exec '${openssl}' "$@"`)
      else lines.push(`'${openssl}' "$@"`, kill)
      writeFileSync(join(programs, 'openssl'), `${lines.join('\n')}\n`)
      chmodSync(join(programs, 'openssl'), 0o755)
      const text = `process.env.KILLED = String(process.pid); const { makeSignerCertificate } = await import('${certificates}'); makeSignerCertificate('127.0.0.1')`
      const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
        env: { PATH: `${programs}${delimiter}${process.env['PATH']}`, TMPDIR: temporary },
      })
      const left = globSync('**/*', { cwd: temporary, withFileTypes: true }).filter((entry) => entry.isFile())
      if (signal === null) {
        // It has made the authority, a request and a certificate, and no call is left at which to kill it.
        expect({ left, call }).toEqual({ left: [], call: 4 })
        return
      }
      expect(signal).toBe('SIGKILL')
      expect(left.length).toBeGreaterThan(0)
      for (const { parentPath, name } of left)
        expect(readFileSync(join(parentPath, name), 'utf8'), name).not.toContain('PRIVATE KEY')
    }
  },
)
