import { readXml, type XmlPiece } from '../../platform/base/xml.ts'

/** An address on a sanctions list. */
export interface SanctionedAddress {
  address: string
  /** the list's name of the asset, such as `XBT` or `USDT`; empty if it has none */
  asset: string
  /** the owner; empty if the list does not state it */
  name: string
}

export interface OfacList {
  /** OFAC's date of publication */
  date: string | null
  entries: SanctionedAddress[]
}

const DIGITAL = 'Digital Currency Address - '

/** Reads OFAC's `sdn.xml` or `sdn_advanced.xml`: only the elements with addresses, their owners and the date. */
export const readOfac = async (chunks: AsyncIterable<string>): Promise<OfacList> => {
  const list: OfacList = { date: null, entries: [] }
  let reading: ((piece: XmlPiece, text: string) => void) | undefined
  let text = ''
  for await (const piece of readXml(chunks)) {
    if (reading === undefined) {
      const root = piece.kind === 'open' ? piece.name : ''
      reading = root === 'sdnList' ? simple(list) : root === 'Sanctions' ? advanced(list) : undefined
      if (reading === undefined) throw new Error(`<${root}> is neither sdn.xml nor sdn_advanced.xml`)
    }
    if (piece.kind === 'text') text += piece.text
    else {
      reading(piece, text.trim())
      text = ''
    }
  }
  return list
}

/** `sdnEntry` has a name and `idList/id` with `idType` and `idNumber`; the date is month/day/year. */
const simple = (list: OfacList): ((piece: XmlPiece, text: string) => void) => {
  let names: string[] = []
  let found: SanctionedAddress[] = []
  let depth = 0
  let type = ''
  let value = ''
  return (piece, text) => {
    if (piece.kind === 'text') return
    if (piece.kind === 'open') {
      depth += 1
      if (piece.name === 'sdnEntry') [names, found] = [[], []]
      if (piece.name === 'id') [type, value] = ['', '']
      return
    }
    const { name } = piece
    // Only of the entry itself: aliases have names at greater depth.
    if ((name === 'firstName' || name === 'lastName') && depth === 3) names.push(text)
    if (name === 'Publish_Date') list.date = dateOf(/^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/.exec(text))
    if (name === 'idType') type = text
    if (name === 'idNumber') value = text
    if (name === 'id' && type.startsWith(DIGITAL) && value !== '')
      found.push({ address: value, asset: type.slice(DIGITAL.length), name: '' })
    if (name === 'sdnEntry') list.entries.push(...found.map((entry) => ({ ...entry, name: names.join(' ') })))
    depth -= 1
  }
}

/**
 * `FeatureType` gives the meaning of a `FeatureTypeID` in the `Feature`s of a `Profile`; a `VersionDetail` contains the
 * address. The first documented name of the profile is the owner's.
 */
const advanced = (list: OfacList): ((piece: XmlPiece, text: string) => void) => {
  const assets = new Map<string, string>()
  const path: string[] = []
  let type = ''
  let asset: string | undefined
  let names: string[] = []
  let named = false
  let found: SanctionedAddress[] = []
  const issued: Record<string, string> = {}
  return (piece, text) => {
    if (piece.kind === 'text') return
    if (piece.kind === 'open') {
      path.push(piece.name)
      if (piece.name === 'FeatureType') type = piece.attributes.ID ?? ''
      if (piece.name === 'Feature') asset = assets.get(piece.attributes.FeatureTypeID ?? '')
      if (piece.name === 'Profile') [names, named, found] = [[], false, []]
      return
    }
    const { name } = piece
    path.pop()
    if (name === 'FeatureType' && text.startsWith(DIGITAL)) assets.set(type, text.slice(DIGITAL.length))
    if (name === 'VersionDetail' && asset !== undefined && text !== '') found.push({ address: text, asset, name: '' })
    if (name === 'Feature') asset = undefined
    if (name === 'NamePartValue' && !named) names.push(text)
    if (name === 'DocumentedName' && names.length > 0) named = true
    if (name === 'Profile') list.entries.push(...found.map((entry) => ({ ...entry, name: names.join(' ') })))
    if (['Year', 'Month', 'Day'].includes(name) && path.at(-1) === 'DateOfIssue' && path.length === 2)
      issued[name.toLowerCase()] = text
    if (name === 'DateOfIssue' && path.length === 1) list.date = dateOf({ groups: issued })
  }
}

const dateOf = (found: { groups?: Record<string, string> | undefined } | null): string | null => {
  const { year, month, day } = found?.groups ?? {}
  const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  return Number.isNaN(Date.parse(date)) ? null : date
}
