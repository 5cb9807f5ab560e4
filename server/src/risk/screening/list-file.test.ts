import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { mutatedText } from '../../../../test/world/mutations.ts'
import { readListFile } from './list-file.ts'

/** A few entries in the shape of the lists of 2026-11-21, made up: no real list is in the repository. */
const SIMPLE = `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML"><publshInformation><Publish_Date>11/20/2026</Publish_Date><Record_Count>2</Record_Count></publshInformation>
<sdnEntry><uid>1</uid><firstName>Some</firstName><lastName>BODY &amp; CO</lastName><sdnType>Individual</sdnType>
<idList><id><uid>2</uid><idType>Digital Currency Address - XBT</idType><idNumber>1BoatSLRHtKNngkdXEeobR76b53LETtpyT</idNumber></id>
<id><uid>3</uid><idType>Passport</idType><idNumber>X123</idNumber></id>
<id><uid>4</uid><idType>Digital Currency Address - USDT</idType><idNumber>0xABCDEF0000000000000000000000000000009999</idNumber></id></idList>
<akaList><aka><uid>5</uid><lastName>ALIAS</lastName></aka></akaList></sdnEntry>
<sdnEntry><uid>6</uid><lastName>NO WALLET</lastName></sdnEntry></sdnList>`
const ADVANCED = `<?xml version="1.0"?><!-- made up --><Sanctions Version="1" xmlns:x="urn:x"><DateOfIssue CalendarTypeID="1"><Year>2026</Year><Month>11</Month><Day>9</Day></DateOfIssue>
<ReferenceValueSets><FeatureTypeValues><FeatureType ID="344" FeatureTypeGroupID="1">Digital Currency Address - XBT</FeatureType><FeatureType ID="8">Birthdate</FeatureType></FeatureTypeValues></ReferenceValueSets>
<DistinctParties><DistinctParty FixedRef="1"><Profile ID="1"><Identity><Alias><DocumentedName><DocumentedNamePart><NamePartValue>BODY</NamePartValue></DocumentedNamePart><DocumentedNamePart><NamePartValue>Some</NamePartValue></DocumentedNamePart></DocumentedName></Alias>
<Alias><DocumentedName><DocumentedNamePart><NamePartValue>ALIAS</NamePartValue></DocumentedNamePart></DocumentedName></Alias></Identity>
<Feature ID="9" FeatureTypeID="344"><FeatureVersion ID="1"><Comment/><VersionDetail DetailTypeID="1432">1BoatSLRHtKNngkdXEeobR76b53LETtpyT</VersionDetail></FeatureVersion></Feature>
<Feature ID="10" FeatureTypeID="8"><FeatureVersion ID="2"><VersionDetail>1970</VersionDetail></FeatureVersion></Feature></Profile></DistinctParty></DistinctParties></Sanctions>`

async function* cut(text: string, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('a list', () => {
  test('is read out of sdn.xml: addresses with their asset and owner, and when it was published', async () => {
    expect(await readListFile('/x/sdn.xml', cut(SIMPLE))).toEqual({
      source: 'OFAC SDN',
      date: '2026-11-20',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      entries: [
        { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', asset: 'XBT', name: 'Some BODY & CO' },
        { address: '0xABCDEF0000000000000000000000000000009999', asset: 'USDT', name: 'Some BODY & CO' },
      ],
    })
  })

  test('is read out of sdn_advanced.xml', async () => {
    expect(await readListFile('sdn_advanced.xml', cut(ADVANCED))).toMatchObject({
      source: 'OFAC SDN',
      date: '2026-11-09',
      entries: [{ address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', asset: 'XBT', name: 'BODY Some' }],
    })
  })

  test('is read out of its derivatives', async () => {
    const entry = { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', asset: 'XBT', name: '' }
    for (const [path, text] of [
      ['sanctioned_addresses_XBT.txt', `${entry.address}\r\n\n`],
      ['a/sanctioned_addresses_XBT.json', `["${entry.address}"]`],
    ] as const) {
      expect(await readListFile(path, cut(text))).toMatchObject({
        source: 'OFAC SDN XBT',
        date: null,
        entries: [entry],
      })
    }
  })

  test.each([
    ['cut off between tags', 'sdn.xml', SIMPLE.slice(0, SIMPLE.indexOf('<idType>')), 'before it is complete'],
    ['cut off inside a tag', 'sdn.xml', SIMPLE.slice(0, -4), 'before it is complete'],
    ['a web page', 'sdn.xml', '<html><body>Denied</body></html>', 'neither sdn.xml nor'],
    ['no XML', 'sdn.csv', 'a,b,c', 'outside of root'],
    ['without addresses', 'sdn.xml', '<sdnList></sdnList>', 'no addresses'],
    ['with a type of its own', 'sdn.xml', '<!DOCTYPE a [<!ENTITY b "c">]><sdnList></sdnList>', 'declares a type'],
    ['wrongly nested', 'sdn.xml', '<sdnList><a></b></sdnList>', '1:16: unexpected close tag'],
    ['of something else', 'sanctioned_addresses_XBT.txt', '<html>', 'is no address'],
    ['empty', 'sanctioned_addresses_XBT.json', '', 'no addresses'],
  ])('that is %s is refused', async (_what, path, text, why) => {
    await expect(readListFile(path, cut(text))).rejects.toThrow(why)
  })

  test('is the same however the file arrives in pieces', async () => {
    const whole = [await readListFile('sdn.xml', cut(SIMPLE)), await readListFile('sdn.xml', cut(ADVANCED))]
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (size) => {
        expect([
          await readListFile('sdn.xml', cut(SIMPLE, size)),
          await readListFile('sdn.xml', cut(ADVANCED, size)),
        ]).toEqual(whole)
      }),
      { numRuns: cases(40) },
    )
  })

  test.each([
    ['sdn.xml', SIMPLE],
    ['sdn_advanced.xml', ADVANCED],
    ['sanctioned_addresses_XBT.json', '["1BoatSLRHtKNngkdXEeobR76b53LETtpyT","1BoatSLRHtKNngkdXEeobR76b53LETtpyU"]'],
  ])('%s with anything changed in it names addresses that it contains, or is refused', async (path, right) => {
    await fc.assert(
      fc.asyncProperty(mutatedText(right), async (text) => {
        try {
          const { entries, date } = await readListFile(path, cut(text))
          expect(date === null || /^\d{4}-\d{2}-\d{2}$/.test(date)).toBe(true)
          for (const { address, asset } of entries) {
            expect(address).toMatch(/^[A-Za-z0-9:]{20,128}$/)
            expect(typeof asset).toBe('string')
          }
        } catch (error) {
          if (!(error instanceof Error) || error instanceof RangeError) throw error
        }
      }),
      { numRuns: cases(60) },
    )
  })

  test('of 80 MB takes little memory', async () => {
    const entry = SIMPLE.slice(SIMPLE.indexOf('<sdnEntry>'), SIMPLE.indexOf('<sdnEntry><uid>6')).replace(
      /<id><uid>4.*<\/id>/,
      '',
    )
    const filler = Buffer.from(
      `<sdnEntry><uid>7</uid><lastName>X</lastName><remarks>${'text '.repeat(4_000)}</remarks></sdnEntry>`,
    )
    async function* large(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`<sdnList>${entry}`)
      for (let bytes = 0; bytes < 80e6; bytes += filler.length) yield filler
      yield Buffer.from('</sdnList>')
    }
    const before = process.memoryUsage().rss
    expect((await readListFile('sdn.xml', large())).entries.length).toBe(1)
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
  })
})
