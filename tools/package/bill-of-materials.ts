/** The bill of materials (SBOM) of a program: CycloneDX 1.6 in JSON, https://cyclonedx.org/docs/1.6/json. */
import { nameOf } from './licences.ts'
import type { Program } from './programs.ts'
import type { Tree } from './tree.ts'

interface Component {
  type: 'library' | 'application' | 'platform'
  name: string
  version: string
  purl?: string
  licenses?: readonly { expression: string }[]
  hashes?: readonly { alg: 'SHA-512'; content: string }[]
}

/** @param version of Bursar @param node version of the Node in the Debian package */
export const billOfMaterials = (
  { name, summary }: Program,
  { packages, lock }: Tree,
  { version, node }: { version: string; node: string },
): object => {
  const components = packages.map((path): Component => {
    const { version: locked, license, integrity } = lock[path]!
    const own = nameOf(path)
    return {
      type: 'library',
      name: own,
      version: locked,
      purl: `pkg:npm/${own.replace('@', '%40')}@${locked}`,
      ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
      ...(integrity === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }] }),
    }
  })
  const described: Component & { description: string } = { type: 'application', name, version, description: summary }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: described },
    components: [...components, { type: 'platform', name: 'node', version: node }],
  }
}

/** `sha512-BASE64` of the lock file, in hexadecimal digits. */
const hexOf = (integrity: string): string =>
  Buffer.from(integrity.slice(integrity.indexOf('-') + 1), 'base64').toString('hex')
