import { describe, expect, test } from 'vitest'
import { readStatementFile } from './statement-file.ts'

const HEAD = 'kind,reference,acquirerReference,ticker,amount,fee,at'
const ROW = 'payment,4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10,a-1,UAH,100.5,1.50,2026-11-21T16:23:00Z'
const LINE = {
  kind: 'payment',
  reference: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  acquirerReference: 'a-1',
  ticker: 'UAH',
  units: 100_50n,
  feeUnits: 1_50n,
  at: Date.parse('2026-11-21T16:23:00Z'),
}

describe('a statement file', () => {
  test('is CSV with a head line, in any order of fields, with quotes, byte order mark and both line ends', () => {
    expect(readStatementFile(`\ufeff${HEAD}\r\n${ROW}\r\n`)).toEqual([LINE])
    const turned =
      'at,fee,amount,ticker,acquirerReference,kind\n"2026-11-21T18:23:00+02:00",0,-2000,KZT,"x, ""y""",settlement'
    expect(readStatementFile(turned)).toEqual([
      {
        kind: 'settlement',
        reference: undefined,
        acquirerReference: 'x, "y"',
        ticker: 'KZT',
        units: -2_000_00n,
        feeUnits: 0n,
        at: LINE.at,
      },
    ])
    expect(readStatementFile(HEAD)).toEqual([])
  })

  test('is JSON with the same fields', () => {
    const { kind, reference, acquirerReference, ticker } = LINE
    expect(
      readStatementFile(
        JSON.stringify([
          { kind, reference, acquirerReference, ticker, amount: '100.50', fee: '1.5', at: '2026-11-21T16:23:00Z' },
        ]),
      ),
    ).toEqual([LINE])
    expect(readStatementFile('[]')).toEqual([])
  })

  test.each([
    [`${HEAD},more\n${ROW},1`, 'head line'],
    [`${HEAD}\n${ROW},1`, 'line 2 of the statement has 8 fields'],
    [`${HEAD}\n${ROW}\n${ROW}`, 'line 3 of the statement: payment/a-1 is there twice'],
    [`${HEAD}\n${ROW.replace('100.5,', '100.555,')}`, 'amount must be'],
    [`${HEAD}\n${ROW.replace('100.5,', '1e3,')}`, 'amount must be'],
    [`${HEAD}\n${ROW.replace('100.5,', ',')}`, 'amount must be'],
    [`${HEAD}\n${ROW.replace('1.50', '-1.50')}`, 'fee must not be negative'],
    [`${HEAD}\n${ROW.replace('UAH', 'USD')}`, 'UAH, KZT'],
    [`${HEAD}\n${ROW.replace('payment', 'pay')}`, 'kind must be one of'],
    [`${HEAD}\n${ROW.replace('Z', '')}`, 'time with its zone'],
    [`${HEAD}\n\n${ROW}\n"payment"\n`, 'line 4 of the statement has 1 fields'],
    [`${HEAD}\n${ROW.replace('a-1', '"a\n1"')}\r\n${ROW}\npay`, 'line 5 of the statement has 1 fields'],
    [HEAD.replace('reference', 'kind'), 'head line'],
    [`${HEAD}\n"${ROW}`, 'an opening quote at line 2'],
    [`${HEAD}\n${ROW}\n${ROW.replace('a-1', 'a"1')}`, 'Invalid Opening Quote: a quote is found on field 2 at line 3'],
    [`${HEAD}\n${ROW.replace('a-1', '"a"1')}`, 'at line 2'],
    ['[{"kind": "payment", "amount": 5}]', 'entry 1 of the statement: amount is no field, or no text'],
    ['[{"kind": "payment", "note": "x"}]', 'note is no field'],
    ['[{"kind": "payment"}]', 'acquirerReference is missing'],
  ])('refuses %j and says where', (text, says) => {
    expect(() => readStatementFile(text)).toThrow(says)
  })
})
