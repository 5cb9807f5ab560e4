import { XMLParser } from 'fast-xml-parser'
import { mulDiv } from '../../platform/money/index.ts'
import { getText } from './get.ts'
import type { OfficialRate, OfficialSource } from './port.ts'
import { decimal, member } from './venue.ts'

const DAY = /(\d\d)\.(\d\d)\.(\d{2,4})/
/** Nothing is unfolded and nothing is a number by itself: the text is another party's. */
const xml = new XMLParser({
  processEntities: false,
  parseTagValue: false,
  ignoreAttributes: true,
  isArray: (name) => name === 'item',
})

/** The National Bank of Kazakhstan: RSS, an `item` for each currency, `description` tenge for `quant` units of it. */
export const createNbk = ({ origin = 'https://nationalbank.kz' }: { origin?: string }): OfficialSource => ({
  name: 'nbk',
  rates: async (): Promise<OfficialRate[]> => {
    const rss = member(xml.parse(await getText(`${origin}/rss/rates_all.xml`, 'nbk')), 'rss')
    const items = member(member(rss, 'channel'), 'item')
    const dollar = Array.isArray(items) ? items.find((one) => member(one, 'title') === 'USD') : undefined
    const [rate, quant] = [decimal(member(dollar, 'description')), decimal(member(dollar, 'quant'))]
    const day = DAY.exec(String(member(dollar, 'pubDate')))
    if (!rate || !quant || !day) throw new Error('nbk answered no rate of the dollar')
    const year = day[3]!.length === 2 ? `20${day[3]}` : day[3]
    return [
      {
        ticker: 'KZT',
        perUsd: mulDiv(rate, 10n ** 18n, quant, 'half-even'),
        observedAt: Date.parse(`${year}-${day[2]}-${day[1]}T00:00:00+05:00`),
      },
    ]
  },
})
