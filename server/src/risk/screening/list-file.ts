import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { readOfac, type SanctionedAddress } from './ofac.ts'

/** The contents of a list file. */
export interface ListFile {
  /** `OFAC SDN`, or for a published derivative `OFAC SDN` and the asset, such as `OFAC SDN XBT` */
  source: string
  /** date of publication, YYYY-MM-DD; null if the file does not state it */
  date: string | null
  /** of the file's bytes, hex */
  sha256: string
  entries: SanctionedAddress[]
}

/** Maximum bytes of a derivative, which is read into memory; real ones have a few kilobytes. */
const MOST_OF_A_DERIVATIVE = 16 * 1024 * 1024
const ADDRESS = /^[A-Za-z0-9:]{20,128}$/

/**
 * Reads OFAC's `sdn.xml` or `sdn_advanced.xml` as a stream, or a derivative of one asset: addresses as a JSON array of
 * strings, or one per line, in a file named `sanctioned_addresses_ASSET.txt` or `.json`. Throws an Error with the
 * cause.
 */
export const readListFile = async (path: string, bytes: AsyncIterable<Uint8Array>): Promise<ListFile> => {
  const hash = createHash('sha256')
  const text = decoded(bytes, hash)
  const asset = /^sanctioned_addresses_([A-Z0-9]{1,10})\.(txt|json)$/i.exec(basename(path))?.[1]?.toUpperCase()
  const { date, entries } =
    asset === undefined ? await readOfac(text) : { date: null, entries: await derivative(text, asset) }
  const wrong = entries.find(({ address }) => !ADDRESS.test(address))
  if (wrong) throw new Error(`${JSON.stringify(wrong.address.slice(0, 80))} is no address`)
  if (entries.length === 0)
    throw new Error('it holds no addresses: OFAC leaves them out of its CSV files, use sdn.xml or sdn_advanced.xml')
  return { source: asset === undefined ? 'OFAC SDN' : `OFAC SDN ${asset}`, date, sha256: hash.digest('hex'), entries }
}

async function* decoded(bytes: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield decoder.decode(chunk, { stream: true })
  }
  yield decoder.decode()
}

const derivative = async (text: AsyncIterable<string>, asset: string): Promise<SanctionedAddress[]> => {
  let whole = ''
  for await (const chunk of text) {
    whole += chunk
    if (whole.length > MOST_OF_A_DERIVATIVE) throw new Error('it is far larger than any list of one asset')
  }
  return addressesIn(whole.trim()).map((address) => ({ address, asset, name: '' }))
}

const addressesIn = (text: string): string[] => {
  if (!text.startsWith('['))
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed) || parsed.some((one) => typeof one !== 'string'))
    throw new Error('it is no JSON array of strings')
  return parsed as string[]
}
