import { getJson } from './get.ts'
import type { OfficialRate, OfficialSource } from './port.ts'
import { decimal, isTime, member } from './venue.ts'

const DAY = /^(\d\d)\.(\d\d)\.(\d{4})$/

/**
 * The National Bank of Ukraine: hryvnias for one dollar, fixed once a day; `exchangedate` is the day for which it is
 * valid.
 */
export const createNbu = ({ origin = 'https://bank.gov.ua' }: { origin?: string }): OfficialSource => ({
  name: 'nbu',
  rates: async (): Promise<OfficialRate[]> => {
    const answer = await getJson(`${origin}/NBUStatService/v1/statdirectory/exchange?json`, 'nbu')
    const dollar = Array.isArray(answer) ? answer.find((one) => member(one, 'cc') === 'USD') : undefined
    const perUsd = decimal(member(dollar, 'rate'))
    const date = member(dollar, 'exchangedate')
    const day = typeof date === 'string' ? DAY.exec(date) : null
    const observedAt = day === null ? Number.NaN : Date.parse(`${day[3]}-${day[2]}-${day[1]}T00:00:00+02:00`)
    if (!perUsd || !isTime(observedAt)) throw new Error('nbu answered no rate of the dollar')
    return [{ ticker: 'UAH', perUsd, observedAt }]
  },
})
