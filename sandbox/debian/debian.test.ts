import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { debianMirror, parseDeb822, parseOneLine, readAptSources } from './apt-sources.ts'
import { librariesOf } from './fetch.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-debian-'))
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe("the mirror in apt's configuration", () => {
  test('one-line format, with options, comments and other archives', () => {
    const sources = parseOneLine(`# deb http://old.example/debian bookworm main
deb-src http://mirror.example/debian bookworm main
deb http://security.example/debian-security bookworm-security main
deb [arch=amd64 signed-by=/keys/debian.gpg] https://mirror.example/debian/ bookworm main contrib # ours
deb https://elsewhere.example/repo stable main`)
    expect(sources).toHaveLength(3)
    expect(debianMirror(sources)).toEqual({
      uri: 'https://mirror.example/debian/',
      suites: ['bookworm'],
      components: ['main', 'contrib'],
      signedBy: '/keys/debian.gpg',
    })
  })

  test('deb822 format, with comments, folded lines, disabled stanzas and inline keys', () => {
    const sources = parseDeb822(`Types: deb
# http://frozen.example/archive
URIs: http://mirror.example/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /keys/debian.gpg

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: sid
Components: main

Types: deb deb-src
URIs: http://one.example/debian http://two.example/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----
`)
    expect(sources.map((source) => source.uri)).toEqual([
      'http://mirror.example/debian',
      'http://one.example/debian',
      'http://two.example/debian',
    ])
    expect(sources[0]).toMatchObject({ suites: ['bookworm', 'bookworm-updates'], signedBy: '/keys/debian.gpg' })
    expect(sources[1]).not.toHaveProperty('signedBy')
  })

  test('all sources of a machine are read, and a machine without Debian has no mirror', () => {
    mkdirSync(join(dir, 'sources.list.d'))
    writeFileSync(join(dir, 'sources.list.d', 'a.list'), 'deb http://archive.example/ubuntu noble main\n')
    expect(debianMirror(readAptSources(dir))).toBeUndefined()
    writeFileSync(
      join(dir, 'sources.list.d', 'b.sources'),
      'Types: deb\nURIs: http://m.example/debian\nSuites: sid\nComponents: main\n',
    )
    expect(debianMirror(readAptSources(dir))?.uri).toBe('http://m.example/debian')
    expect(readAptSources(join(dir, 'absent'))).toEqual([])
  })

  test('only libraries are followed', () => {
    const graph = `daemon
  Depends: systemd
 |Depends: libone
  PreDepends: libtwo
systemd
  Depends: libsystemd
libone
  Depends: <virtual>
  Depends: zlib1g
libtwo
  Depends: libone
  Depends: tool
zlib1g`
    expect(librariesOf(graph, 'daemon')).toEqual(['libone', 'libtwo', 'zlib1g'])
  })
})
