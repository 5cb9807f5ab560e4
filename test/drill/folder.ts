import { chownSync } from 'node:fs'
import type { Programs } from '../../server/src/app/backup/programs.ts'
import { makeOwnedFolder } from '../setup/scratch.ts'

/** A new folder that the user of PostgreSQL may write. The drill removes it. */
export const drillFolder = ({ as }: Programs): string => {
  const folder = makeOwnedFolder('drill')
  if (as) chownSync(folder, as.uid, as.gid)
  return folder
}
