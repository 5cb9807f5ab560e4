import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { archiveOf, verifyArchive } from '../../dashboard/archive/index.ts'
import { listRoutes } from '../composition/lists.ts'
import { required, withInstallation } from '../installation/open.ts'
import { command, neededText, type Command } from './command.ts'

export const exportCommands: readonly Command[] = [
  command({
    name: 'merchant export',
    summary: 'write everything that a merchant owns to one ZIP file, as CSV and JSON',
    args: ['MERCHANT_ID'],
    options: { out: neededText('FILE', 'the new file, such as shop.zip; only its owner may read it') },
    more: 'The file has names and e-mail addresses of payers. Check a copy with `bursar export verify FILE`.',
    run: async ({ args: { MERCHANT_ID: merchantId }, options }, env, out) => {
      const path = resolve(options.out)
      await withInstallation(env, async ({ runtime, config: { assets, publicUrl } }) => {
        const catalogue = required(assets, 'BURSAR_ASSETS_FILE')
        const { db, clock } = runtime
        const lists = listRoutes({ runtime, catalogue, publicUrl })
        await writeWhole(path, archiveOf({ db, clock, catalogue, publicUrl, lists }, merchantId))
      })
      const { files, rows, asOf, problems } = await verifyArchive(path)
      if (problems.length > 0) throw new Error(`${path} is not correct: ${problems.join('; ')}`)
      out.show({ file: path, files, rows, asOf }, [])
      out.say(`${path} has ${rows} rows in ${files} files, as of ${asOf}`)
    },
  }),
  command({
    name: 'export verify',
    summary: 'check the archive of a merchant: its files, and that the entries add up to the balances',
    args: ['FILE'],
    more: 'It needs no database and no settings.',
    run: async ({ args: { FILE: file } }, _env, out) => {
      const { problems, balances, ...verified } = await verifyArchive(resolve(file))
      out.show({ ...verified, problems }, [])
      out.list('balances', balances, { none: 'the merchant has no balances' })
      for (const problem of problems) out.say(problem)
      if (problems.length > 0) process.exitCode = 1
      else out.say(`${verified.merchant}: ${verified.rows} rows in ${verified.files} files, as of ${verified.asOf}`)
    },
  }),
]

/** Writes a new file; a part of it is removed when that fails. Throws if the file exists. */
const writeWhole = async (path: string, pieces: AsyncIterable<Buffer>): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    await pipeline(pieces, file.createWriteStream({ flush: true }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
