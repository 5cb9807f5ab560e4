import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { isRefused, joinBbqr, splitBbqr } from '@bursar/chainkit'
import {
  cancelTransfer,
  coldFileOf,
  importTransfer,
  listTransfers,
  readTransfer,
  type ColdFile,
} from '../../treasury/cold/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { command, flag, text, UsageError, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import { withTronNode } from './tron.ts'
import { qrAsSvg, qrAsText } from './qr/drawing.ts'
import { capacityOf, qrOf } from './qr/matrix.ts'
import type { Fields, Output } from './output.ts'

const MOST_LISTED = 50
/** Version of codes shown in a terminal: 85 columns wide, and phones can still read them. */
const TERMINAL_VERSION = 15
const PICTURE_VERSION = 22

export const coldCommands: readonly Command[] = [
  command({
    name: 'cold list',
    summary: 'list transfers to cold storage, the newest first',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const rows = (await listTransfers(runtime.db, MOST_LISTED)).map(
          ({ id, network, asset, units, to, state, ended, expiresAt }) => ({
            id,
            network,
            amount: formatUnits(units, catalogue.findCrypto(asset)!.scale),
            asset,
            to,
            state: ended ?? state,
            signBy: state === 'offered' ? expiresAt : null,
          }),
        )
        out.list('transfers', rows, { none: 'there are no transfers to cold storage' })
      }),
  }),
  command({
    name: 'cold show',
    summary: 'show the transaction to sign offline, or write it to a file or as QR codes',
    args: ['TRANSFER_ID'],
    options: {
      qr: flag('draw QR codes in the terminal'),
      out: text('FILE', 'write a .json, a .psbt (Bitcoin) or an .svg with QR codes'),
    },
    run: async ({ args, options }, env, out) => {
      await withInstallation(env, async (opened) => {
        const file = await fileOf(opened, args.TRANSFER_ID)
        if (options.out !== undefined) return writeOut(file, options.out, out)
        if (!options.qr) return out.show({ ...file } as unknown as Fields)
        const parts = partsOf(file, TERMINAL_VERSION)
        for (const [at, part] of parts.entries())
          out.add('parts', { part }, `${qrAsText(qrOf(part))}\npart ${at + 1} of ${parts.length}`)
      })
    },
  }),
  command({
    name: 'cold import',
    summary: 'import a transaction that was signed offline (PSBT, JSON, hex, base64 or BBQr texts), and send it',
    args: ['TRANSFER_ID', 'FILE'],
    irreversible: 'The signed transaction is sent to its network.',
    run: async ({ args }, env, out) => {
      const bytes = signedBytes(readFileSync(args.FILE))
      await withInstallation(env, async (opened) => {
        const taken = await takeIn(opened, args.TRANSFER_ID, bytes)
        if ('refused' in taken) throw new Error(`refused: ${taken.message}`)
        out.show({ hash: taken.hash }, [])
        out.say(`accepted: ${taken.hash} is being sent`)
      })
    },
  }),
  command({
    name: 'cold cancel',
    summary: 'cancel a transfer for which no signed transaction was imported',
    args: ['TRANSFER_ID'],
    irreversible:
      'The transfer is cancelled. If it was signed offline, destroy the signed transaction: it can still be sent.',
    run: async ({ args }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const cancelled = await inTransaction(runtime.db, (tx) =>
          cancelTransfer(tx, args.TRANSFER_ID, momentOf(runtime)),
        )
        if (!cancelled) throw new Error('no transfer with this id waits for its signature')
        const until = cancelled.mayBeMinedUntil
        out.say(
          until === null
            ? 'cancelled: destroy the signed bytes'
            : `cancelled; a signed transaction can be mined until ${until.toISOString()}, and no other transfer is offered before`,
        )
      }),
  }),
]

/** Imports signed bytes, with what the hot address on TRON can send now. */
const takeIn = async (opened: Opened, id: string, bytes: Uint8Array): ReturnType<typeof importTransfer> => {
  const { runtime, config } = opened
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  const known = await readTransfer(runtime.db, id)
  const hot = known?.transfer.network === 'TRON' && (await withTronNode(opened, ({ spendable }) => spendable()))
  return inTransaction(runtime.db, (tx) =>
    importTransfer(tx, { id, bytes, ...(hot && { hot }) }, catalogue, momentOf(runtime)),
  )
}

const fileOf = async ({ runtime, config }: Opened, id: string): Promise<ColdFile> => {
  const offered = await readTransfer(runtime.db, id)
  if (!offered) throw new Error('there is no transfer by this id')
  return coldFileOf(offered, required(config.assets, 'BURSAR_ASSETS_FILE'))
}

/** Encodes a PSBT unchanged, and everything else as JSON with its type. */
const partsOf = (file: ColdFile, version: number): string[] =>
  file.psbt === undefined
    ? splitBbqr(Buffer.from(JSON.stringify(file)), 'J', capacityOf(version))
    : splitBbqr(Buffer.from(file.psbt, 'base64'), 'P', capacityOf(version))

const writeOut = (file: ColdFile, path: string, out: Output): void => {
  const written: string[] = []
  const write = (to: string, contents: string | Uint8Array): void => {
    writeFileSync(to, contents, { flag: 'wx' })
    written.push(to)
  }
  switch (extname(path)) {
    case '.json':
      write(path, `${JSON.stringify(file, null, 2)}\n`)
      break
    case '.psbt':
      if (file.psbt === undefined) throw new UsageError(`${file.network} has no PSBTs: write a .json`)
      write(path, Buffer.from(file.psbt, 'base64'))
      break
    case '.svg': {
      const parts = partsOf(file, PICTURE_VERSION)
      for (const [at, part] of parts.entries())
        write(parts.length === 1 ? path : path.replace(/\.svg$/, `-${at + 1}.svg`), qrAsSvg(qrOf(part)))
      break
    }
    default:
      throw new UsageError('--out is a .json, a .psbt or an .svg')
  }
  out.say(`written: ${written.join(', ')}`)
}

const PSBT_MAGIC = Buffer.from('psbt\u00FF', 'latin1')

/** Extracts the signed bytes from any of the forms in which they may be returned. Throws for any other form. */
export const signedBytes = (contents: Uint8Array): Uint8Array => {
  if (PSBT_MAGIC.equals(contents.subarray(0, PSBT_MAGIC.length))) return contents
  const text = Buffer.from(contents).toString('utf8').trim()
  if (text.startsWith('B$')) {
    const joined = joinBbqr(text.split(/\s+/))
    if (isRefused(joined)) throw new Error(joined.message)
    return joined.type === 'J' || joined.type === 'U' ? signedBytes(joined.bytes) : joined.bytes
  }
  if (text.startsWith('{')) {
    const { signed } = JSON.parse(text) as { signed?: unknown }
    if (typeof signed !== 'string') throw new Error('this file has no signed bytes in it')
    return signedBytes(Buffer.from(signed))
  }
  if (/^(0x)?([0-9a-f]{2})+$/i.test(text)) return Buffer.from(text.replace(/^0x/, ''), 'hex')
  if (/^cHNidP[A-Za-z0-9+/]+=*$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error('this is neither a PSBT, JSON, hex, base64 nor BBQr')
}
