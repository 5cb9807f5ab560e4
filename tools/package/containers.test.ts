/** The files of `deploy`, by linters and schemas. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readContainers } from './containers.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const docker = join(deploy, 'docker')

test.each(['bursar.Dockerfile', 'signer.Dockerfile'])('%s is a valid Dockerfile', (name) => {
  expect(validate(readFileSync(join(docker, name), 'utf8'))).toEqual([])
})

test('the compose file fits the schema and the rules of dclint', () => {
  const linter = join(import.meta.dirname, '../../node_modules/dclint/bin/dclint.cjs')
  const { status, stdout } = spawnSync(process.execPath, [linter, '--max-warnings', '0', docker], { encoding: 'utf8' })
  expect([status, stdout.trim()]).toEqual([0, ''])
})

test('the containers of the compose file are the roles, the migration and the signer, as the user of their image', () => {
  const found = readContainers(docker, { BURSAR_VERSION: '0.1.0', BURSAR_PUBLIC_URL: 'https://pay.example.com' })
  expect(found.map(({ name, user }) => `${name} ${user}`).toSorted()).toEqual([
    'api 10001:10001',
    'migrate 10001:10001',
    'operator 10001:10001',
    'signer 10002:10002',
    'watcher 10001:10001',
    'worker 10001:10001',
  ])
  for (const { env } of found) expect(Object.keys(env)).not.toContain('DATABASE_URL')
})

interface Manifest {
  kind: string
  metadata: { name: string }
  spec: {
    template?: { spec: { securityContext: object; containers: { securityContext: object; env: { name: string }[] }[] } }
    egress?: { to: { ipBlock?: { cidr: string; except?: string[] } }[] }[]
  }
}

const manifests = parseAllDocuments(readFileSync(join(deploy, 'kubernetes/bursar.yaml'), 'utf8')).map(
  (document) => document.toJS() as Manifest,
)

test('no pod of the manifests runs as root, writes to its image or has a capability', () => {
  const pods = manifests.flatMap(({ spec }) => spec?.template ?? [])
  expect(pods.length).toBe(4)
  for (const { spec } of pods) {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    for (const { securityContext } of spec.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
  }
})

test('only the worker may reach the signer', () => {
  const signer = '192.0.2.20/32'
  const reaching = manifests.filter(({ spec }) =>
    spec?.egress?.some(({ to }) =>
      to.some(
        ({ ipBlock }) =>
          ipBlock !== undefined && [signer, '0.0.0.0/0'].includes(ipBlock.cidr) && !ipBlock.except?.includes(signer),
      ),
    ),
  )
  expect(reaching.map(({ metadata }) => metadata.name)).toEqual(['bursar-from-worker'])
})

test('a load balancer asks whether a process can work, and only a probe of life restarts one', () => {
  const yaml = readFileSync(join(deploy, 'kubernetes/bursar.yaml'), 'utf8')
  const paths = [...yaml.matchAll(/(startup|readiness|liveness)Probe:\n\s+httpGet:\n\s+path: (\S+)/g)]
  expect(paths.map(([, probe, path]) => `${probe} ${path}`)).toEqual(
    ['worker', 'watcher', 'api'].flatMap(() => [
      'startup /health/live',
      'readiness /health/ready',
      'liveness /health/live',
    ]),
  )
  const checks = ['ha', 'cells'].flatMap((name) => [
    ...readFileSync(join(deploy, name, 'haproxy.cfg'), 'utf8').matchAll(/option httpchk GET (\S+)/g),
  ])
  expect(checks.length).toBeGreaterThan(0)
  for (const [, path] of checks) expect(path).toBe('/health/ready')
})
