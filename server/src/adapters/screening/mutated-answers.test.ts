/** Answers of a provider of screening with anything changed in them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { mutatedJson } from '../../../../test/world/mutations.ts'
import { createAmlbot } from './amlbot.ts'
import { ScreeningUnavailable, type Screened } from './port.ts'

/** The members that the provider documents (`ecosystem.md` 4.2), with some of its signals. */
const REPORT =
  '{"result":true,"description":"","balance":90,"data":{"uid":"u1","status":"success","riskscore":0.25,"signals":{"exchange":0.5,"mixer":0.25,"sanctions":0,"stolen_coins":0.125},"hasBlackListFlag":false,"blackListsConnections":[],"updated_at":1700000000}}'
const PENDING = '{"result":true,"data":{"uid":"u1","status":"pending"}}'

let reply = ''
let url = ''
beforeAll(async () => {
  const server = createServer((_, response) => void response.end(reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => {
    server.close()
    server.closeAllConnections()
  }
})

const check = (screened: Screened): void => {
  if (screened.kind === 'pending') {
    expect(typeof screened.ref === 'string' && screened.ref !== '').toBe(true)
    return
  }
  if (screened.kind !== 'report') throw new Error(screened.kind)
  const { riskScore, signals, flags, madeAt } = screened.report
  expect(riskScore >= 0 && riskScore <= 1).toBe(true)
  for (const percent of Object.values(signals))
    expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true)
  expect(flags.every((flag) => typeof flag === 'string')).toBe(true)
  expect(Number.isSafeInteger(madeAt) && madeAt > 0 && madeAt <= 1_800_000_000_000).toBe(true)
}

test.each([
  ['a report', REPORT],
  ['a report that is not ready', PENDING],
])('%s with anything changed in it is read exactly, or nothing is known', async (_what, right) => {
  const amlbot = createAmlbot({ url, accessId: 'i', accessKey: 'k' }, () => 1_800_000_000_000)
  const screen = () =>
    amlbot.screen({
      network: 'TRON',
      asset: 'USDT',
      direction: 'deposit',
      transaction: 'aa01',
      own: 'TOurs',
      others: ['TStranger'],
    })
  reply = right
  check(await screen())
  await fc.assert(
    fc.asyncProperty(mutatedJson(right), async ({ text }) => {
      reply = text
      try {
        check(await screen())
      } catch (error) {
        if (!(error instanceof ScreeningUnavailable)) throw error
      }
    }),
    { numRuns: cases(60) },
  )
})
