import { describe, expect, test } from 'vitest'
import { createLog, withoutSecrets } from './log.ts'
import { showError } from './shown-error.ts'

const logged = (write: (log: ReturnType<typeof createLog>) => void): string => {
  let text = ''
  write(createLog('debug', 'test', { write: (line: string) => void (text += line) }))
  return text
}

describe('the log', () => {
  test('is JSON lines with the role and the time', () => {
    expect(JSON.parse(logged((log) => log.info({ requestId: 'r-1' }, 'hello')))).toMatchObject({
      level: 30,
      role: 'test',
      requestId: 'r-1',
      msg: 'hello',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
  })

  test('never shows a secret, at any place of a line', () => {
    const text = logged((log) => {
      log.info(
        { privateKey: 'hunter2', a: { secret: 'hunter2', b: [{ signature: 'hunter2' }, { Passphrase: 'hunter2' }] } },
        'x',
      )
      log
        .child({ requestId: 'r' })
        .warn({ headers: { authorization: 'hunter2', 'x-request-id': 'shown' }, webhookSecrets: ['hunter2'] }, 'y')
      log.error(
        {
          err: Object.assign(new Error('failed'), {
            connectionString: 'postgres://u:hunter2@h',
            config: { password: 'hunter2' },
          }),
        },
        'z',
      )
    })
    expect(text).not.toContain('hunter2')
    expect(text).toContain('"x-request-id":"shown"')
    expect(text).toContain('failed')
  })

  test('does not change the objects that it is given', () => {
    const given = { merchant: { id: 'm', privateKey: 'k' } }
    expect(withoutSecrets(given)).toEqual({ merchant: { id: 'm', privateKey: '[secret]' } })
    expect(given.merchant.privateKey).toBe('k')
    const plain = { a: 1, b: { c: [1, 2] } }
    expect(withoutSecrets(plain)).toEqual(plain)
  })

  test('cuts an object that refers to itself', () => {
    const loop: Record<string, unknown> = {}
    loop['loop'] = loop
    expect(logged((log) => log.info(loop, 'x'))).toContain('[deep]')
  })

  test('shows an error with its causes and its code', () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    expect(showError(new TypeError('no database', { cause }))).toMatchObject({
      type: 'TypeError',
      message: 'no database',
      stack: expect.stringContaining('log.test'),
      cause: { message: 'refused', code: 'ECONNREFUSED' },
    })
    expect(showError('text')).toEqual({ type: 'string', message: 'text' })
  })
})
