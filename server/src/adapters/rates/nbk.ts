import { parseXml, type XmlElement } from '../../platform/base/xml.ts'
import { mulDiv } from '../../platform/money/index.ts'
import { getText } from './get.ts'
import type { OfficialRate, OfficialSource } from './port.ts'
import { decimal, isTime } from './venue.ts'

const DAY = /(\d\d)\.(\d\d)\.(\d{2,4})/
/**
 * The National Bank of Kazakhstan: RSS, an `item` for each currency, whose `description` is the price of `quant` units
 * in tenge.
 */
export const createNbk = ({ origin = 'https://nationalbank.kz' }: { origin?: string }): OfficialSource => ({
  name: 'nbk',
  rates: async (): Promise<OfficialRate[]> => {
    const items = (await readFeed(`${origin}/rss/rates_all.xml`)).filter(({ name }) => name === 'item')
    const dollar = items.find((item) => textOf(item, 'title') === 'USD')
    const [rate, quant] = [decimal(textOf(dollar, 'description')), decimal(textOf(dollar, 'quant'))]
    const day = DAY.exec(textOf(dollar, 'pubDate') ?? '')
    const year = day?.[3]?.length === 2 ? `20${day[3]}` : day?.[3]
    const observedAt = Date.parse(`${year}-${day?.[2]}-${day?.[1]}T00:00:00+05:00`)
    if (!rate || !quant || !isTime(observedAt)) throw new Error('nbk answered no rate of the dollar')
    return [
      {
        ticker: 'KZT',
        perUsd: mulDiv(rate, 10n ** 18n, quant, 'half-even'),
        observedAt,
      },
    ]
  },
})

/** Reads the contents of the feed's `channel`. */
const readFeed = async (url: string): Promise<readonly XmlElement[]> => {
  const text = await getText(url, 'nbk')
  try {
    const rss = parseXml(text)
    return rss.name === 'rss' ? (rss.children.find(({ name }) => name === 'channel')?.children ?? []) : []
  } catch (error) {
    throw new Error(`nbk answered with data that is not XML: ${(error as Error).message}`, { cause: error })
  }
}

const textOf = (element: XmlElement | undefined, name: string): string | undefined =>
  element?.children.find((child) => child.name === name)?.text.trim()
