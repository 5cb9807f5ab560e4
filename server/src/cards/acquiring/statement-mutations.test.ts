/** Statement files with anything changed in them. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { mutatedJson, mutatedText } from '../../../../test/world/mutations.ts'
import { readStatementFile } from './statement-file.ts'

// docs/operating/acquirer-statements.md
const CSV = `kind,reference,acquirerReference,ticker,amount,fee,at
payment,4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10,a-1,UAH,100.50,1.50,2026-11-21T16:23:00Z
payout,,"a, ""2""",KZT,-2000.00,0.00,2026-11-21T18:23:00+02:00
`
const JSON_FILE = JSON.stringify([
  {
    kind: 'payment',
    reference: 'r',
    acquirerReference: 'a-1',
    ticker: 'UAH',
    amount: '100.50',
    fee: '1.50',
    at: '2026-11-21T16:23:00Z',
  },
])

/** Also from an unexpected value, the message names what is wrong. */
const isOwnError = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError)

test.each([
  ['CSV', CSV, mutatedText(CSV).map((text) => ({ text, isRetyped: false }))],
  ['JSON', JSON_FILE, mutatedJson(JSON_FILE)],
])('%s with anything changed in it is read exactly, or refused', (_form, right, texts) => {
  const amounts = readStatementFile(right).map(({ units }) => units)
  fc.assert(
    fc.property(texts, ({ text, isRetyped }) => {
      try {
        for (const line of readStatementFile(text)) {
          expect(['payment', 'payout', 'refund', 'settlement', 'fee']).toContain(line.kind)
          expect(['UAH', 'KZT']).toContain(line.ticker)
          expect(line.feeUnits >= 0n && line.feeUnits < 10n ** 32n).toBe(true)
          expect(line.units > -(10n ** 32n) && line.units < 10n ** 32n).toBe(true)
          expect(Number.isSafeInteger(line.at)).toBe(true)
          if (isRetyped) expect([...amounts, ...amounts.map((units) => -units)]).toContain(line.units)
        }
      } catch (error) {
        if (!isOwnError(error)) throw error
      }
    }),
    { numRuns: cases(100) },
  )
})
