/** The folder of the packages that test files share; the first file that needs them builds them. */
import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { makeOwnedFolder } from './scratch.ts'
import './provided.ts'

export default function setup(project: TestProject): () => void {
  const folder = makeOwnedFolder('packages')
  project.provide('packagesFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
