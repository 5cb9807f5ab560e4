import { describe, expect, test } from 'vitest'
import { createJsonOutput, createTextOutput, type Output } from './output.ts'

/** The text and the JSON of the same calls. */
const shown = (fill: (out: Output) => void): { text: string; json: unknown } => {
  const written = { text: '', json: '' }
  const text = createTextOutput((part) => (written.text += part))
  const json = createJsonOutput((part) => (written.json += part))
  for (const out of [text, json]) {
    fill(out)
    out.end()
  }
  return { text: written.text, json: JSON.parse(written.json) as unknown }
}

const AT = new Date('2026-11-25T08:00:00Z')

describe('the output of a command', () => {
  test('a list is a table with heads in words, and an array of objects', () => {
    const rows = [
      { id: 'a', amount: '12.5', createdAt: AT, lastError: null, isOpen: true, flags: ['one', 'two'] },
      { id: 'b', amount: '-7', createdAt: AT, lastError: 'cut', isOpen: false, flags: [] },
    ]
    const { text, json } = shown((out) => out.list('orders', rows, { heads: { id: 'order' } }))
    expect(text).toBe(
      [
        'order  amount  created at                last error  is open  flags',
        'a        12.5  2026-11-25T08:00:00.000Z  -           yes      one, two',
        'b          -7  2026-11-25T08:00:00.000Z  cut         no       -',
        '',
      ].join('\n'),
    )
    expect(json).toEqual({ orders: rows.map((row) => ({ ...row, createdAt: AT.toISOString() })) })
  })

  test('the table may have fewer columns than the object has members', () => {
    const { text, json } = shown((out) => out.list('keys', [{ id: 'a', owner: 'b' }], { columns: ['owner'] }))
    expect(text).toBe('owner\nb\n')
    expect(json).toEqual({ keys: [{ id: 'a', owner: 'b' }] })
  })

  test('an empty list says so, and is an empty array', () => {
    const { text, json } = shown((out) => out.list('stops', [], { none: 'nothing is stopped' }))
    expect({ text, json }).toEqual({ text: 'nothing is stopped\n', json: { stops: [] } })
  })

  test('an object is lines of name and value, with inner objects indented', () => {
    const thing = {
      withdrawalId: 'w',
      report: { riskScore: 0.5, flags: ['listed'] },
      decisions: [{ event: 'released', at: AT }],
      absent: undefined,
    }
    const { text, json } = shown((out) => out.show(thing))
    expect(text).toBe(
      [
        'withdrawal id: w',
        'report:',
        '  risk score: 0.5',
        '  flags: listed',
        'decisions:',
        '  - event: released',
        '    at: 2026-11-25T08:00:00.000Z',
        'absent: -',
        '',
      ].join('\n'),
    )
    expect(json).toEqual({ ...thing, decisions: [{ event: 'released', at: AT.toISOString() }], absent: null })
  })

  test('lines that come one by one are members of an array; sentences are messages; a gap is no JSON', () => {
    const { text, json } = shown((out) => {
      out.show({ checks: [], findings: 1 }, [])
      out.add('checks', { result: 'bad', text: 'no signer' }, 'BAD no signer')
      out.gap()
      out.say('done')
      out.text('sql', 'select 1;\n')
    })
    expect(text).toBe('BAD no signer\n\ndone\nselect 1;\n')
    expect(json).toEqual({
      checks: [{ result: 'bad', text: 'no signer' }],
      findings: 1,
      sql: 'select 1;\n',
      messages: ['done'],
    })
  })

  test('text of third parties neither moves the cursor of a terminal nor breaks a line of a table', () => {
    const name = 'Shop\u001B[2J\nadmin\u202E'
    const { text, json } = shown((out) => {
      out.list('merchants', [{ name }])
      out.say(`of ${name}`)
    })
    expect(text).toBe('name\nShop\\u001b[2J\\u000aadmin\\u202e\nof Shop\\u001b[2J\nadmin\\u202e\n')
    expect(json).toMatchObject({ merchants: [{ name }] })
  })
})
