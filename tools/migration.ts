/** Creates the file of a new migration, named by the time: `npm run migration -- what-it-does`. */
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const FOLDER = join(import.meta.dirname, '../server/src/platform/db/migrations')
const [what = '', ...more] = process.argv.slice(2)
if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(what) || more.length > 0) {
  console.error('usage: npm run migration -- WHAT, in small letters with hyphens, such as add-refund-reasons')
  process.exit(2)
}
const minute = new Date().toISOString().slice(0, 16).replaceAll(/[-T:]/g, '')
const file = join(FOLDER, `${minute}-${what}.sql`)
writeFileSync(
  file,
  '-- Why this change is made. The roles of the database get their rights from platform/db/grants.ts.\n',
  {
    flag: 'wx',
  },
)
console.log(relative(process.cwd(), file))
