import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { signatureVectors } from '@bursar/contract/vectors'
import { cases } from '../../../../test/setup/cases.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { keyOwner } from '../../merchants/accounts/keys.ts'
import { listKeys, revokeKey, rotateKey, setDisabled } from '../../merchants/accounts/index.ts'
import { box, keyDeps, makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'
import { exampleOf, NOW, targetOf, useEdge, type HeaderList } from '../../../../test/world/edge.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const edge = useEdge()
const address = '{"blockchain":"BITCOIN"}'
const SECONDS = NOW / 1_000

/** A merchant whose private key is a given text, as in the published vectors. */
const merchantWithKey = async (key: string): Promise<string> => {
  const { id } = await makeMerchant(edge.db, NOW)
  const [api] = (await listKeys(edge.db, id)).filter(({ purpose }) => purpose === 'api')
  await edge.pool.query('update merchant_keys set sealed = $1 where id = $2', [
    box.seal(key, keyOwner(id, api!.id)),
    api!.id,
  ])
  edge.directory.forget(id)
  return id
}

describe('the vectors of contract.md section 3', () => {
  const vectors = signatureVectors.filter(
    ({ form, signature, timestamp }) => form === 'request' && signature.length === 64 && timestamp.length === 10,
  )

  test('are all that fit a request of this API: the others are a notification, one cut off, and one of another client', () => {
    expect(signatureVectors.length - vectors.length).toBe(3)
    expect(vectors.length).toBeGreaterThan(12)
  })

  test.each(vectors.map((v) => [`${v.method} ${v.target} ${v.timestamp}`, v] as const))('%s', async (_name, vector) => {
    const id = await merchantWithKey(vector.key)
    edge.clock.ms = Number(vector.timestamp) * 1_000
    const headers = ['merchant-id', id, 'signature', vector.signature, 'timestamp', vector.timestamp]
    const answer = await edge.raw(vector.method, vector.target, headers, vector.body === '' ? undefined : vector.body)
    const wrong = vector.signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    const forged = await edge.raw(
      vector.method,
      vector.target,
      headers.with(3, wrong),
      vector.body === '' ? undefined : vector.body,
    )
    edge.clock.ms = NOW
    // The documentation's sample address has a character too many: that is for the operation to refuse.
    expect(answer.status).toBe(200)
    expect(forged).toMatchObject({ status: 401, body: { code: -1 } })
  })
})

describe('the signing merchant', () => {
  test('an unknown merchant, a disabled one, a wrong key and no UUID answer alike', async () => {
    const gone = await makeMerchant(edge.db, NOW)
    await inTransaction(edge.db, (tx) => setDisabled(tx, gone.id, true, keyDeps, momentAt(NOW)))
    edge.directory.forget(gone.id)
    const answers = await Promise.all([
      edge.call('POST', '/merchants/addresses', address, { id: newId() }),
      edge.call('POST', '/merchants/addresses', address, { id: newId(), key: '0'.repeat(32) }),
      edge.call('POST', '/merchants/addresses', address, { id: gone.id, key: gone.privateKey }),
      edge.call('POST', '/merchants/addresses', address, { key: 'wrong' }),
      edge.call('POST', '/merchants/addresses', address, { id: 'not-a-uuid' }),
      edge.call('POST', '/merchants/addresses', address, { id: '__proto__' }),
    ])
    const notified = answers.map(
      ({ status, body: { requestId: _, ...body }, headers: { date: _date, ...headers } }) => {
        return JSON.stringify([status, body, Object.keys(headers)])
      },
    )
    expect(new Set(notified).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 401, body: { code: -1 } })
  })

  test('the merchant id may be written in capitals', async () => {
    expect(
      (await edge.call('POST', '/merchants/addresses', address, { id: edge.merchant.id.toUpperCase() })).status,
    ).toBe(200)
    expect(edge.handled.at(-1)?.merchantId).toBe(edge.merchant.id)
  })

  test('both keys of a rotation, until the old one ends; a revoked one at once', async () => {
    const made = await makeMerchant(edge.db, NOW)
    const rotated = await inTransaction(edge.db, (tx) =>
      rotateKey(tx, made.id, { purpose: 'api', overlapMs: 1_000 }, keyDeps, momentAt(NOW)),
    )
    const statuses = async () => {
      edge.directory.forget(made.id)
      const calls = [made.privateKey, rotated.secret].map((key) =>
        edge.call('POST', '/merchants/addresses', address, { id: made.id, key }),
      )
      return (await Promise.all(calls)).map(({ status }) => status)
    }
    expect(await statuses()).toEqual([200, 200])
    edge.clock.ms += 2_000
    expect(await statuses()).toEqual([401, 200])
    edge.clock.ms = NOW
    await inTransaction(edge.db, (tx) => revokeKey(tx, made.id, rotated.keyId, keyDeps, momentAt(NOW)))
    expect(await statuses()).toEqual([200, 401])
  })

  test('a webhook secret signs no request', async () => {
    const made = await makeMerchant(edge.db, NOW)
    edge.directory.forget(made.id)
    expect(
      (await edge.call('POST', '/merchants/addresses', address, { id: made.id, key: made.webhookSecret })).status,
    ).toBe(401)
  })
})

describe('when it was signed', () => {
  test.each([
    [0, 200],
    [60, 200],
    [61, -2],
    [3_600, -2],
    [-5, 200],
    [-6, -3],
    [-3_600, -3],
  ])('a timestamp %i s old: %i', async (age, expected) => {
    const answer = await edge.call('POST', '/merchants/addresses', address, { timestamp: SECONDS - age })
    expect(expected === 200 ? answer.status : answer.body.code).toBe(expected)
    if (expected !== 200) expect(answer.status).toBe(401)
  })

  test('is judged before the merchant, and by whole seconds', async () => {
    const unknown = { id: newId(), timestamp: SECONDS - 100 }
    expect((await edge.call('POST', '/merchants/addresses', address, unknown)).body.code).toBe(-2)
    edge.clock.ms = NOW + 999
    expect((await edge.call('POST', '/merchants/addresses', address, { timestamp: SECONDS - 60 })).status).toBe(200)
    edge.clock.ms = NOW
  })

  test.each([
    '',
    '167748644',
    '16774864430',
    '+167748644',
    ' 1677486443',
    '1677486443.0',
    '0x63fc9f2b',
    '１６７７４８６４４３',
    '1e9',
    '-677486443',
  ])('a timestamp written %j is refused', async (timestamp) => {
    const signature = sign(edge.merchant.privateKey, 'POST', '/merchants/addresses', address, timestamp)
    const headers = [
      'merchant-id',
      edge.merchant.id,
      'signature',
      signature,
      'timestamp',
      Buffer.from(timestamp).toString('latin1'),
    ]
    // HTTP takes the spaces around a value for nothing.
    expect(await edge.raw('POST', '/merchants/addresses', headers, address)).toMatchObject({
      status: 401,
      body: { code: -1 },
    })
  })
})

describe('the signed text', () => {
  test('A3 text that moves between method, path, body and timestamp is never accepted', async () => {
    const signed = operations.filter((operation) => operation.signed)
    edge.handled.length = 0
    const shift = fc.record({
      operation: fc.constantFrom(...signed),
      path: fc.nat(),
      cut: fc.nat(),
      boundary: fc.constantFrom('head', 'tail'),
    })
    await fc.assert(
      fc.asyncProperty(shift, async ({ operation, path, cut, boundary }) => {
        const paths = [operation.path, ...operation.aliases.map((alias) => alias.path)]
        const target = targetOf(operation, paths[path % paths.length]!)
        const body = exampleOf(operation) ?? ''
        const timestamp = String(SECONDS)
        const signature = sign(edge.merchant.privateKey, operation.method, target, body, timestamp)
        const moved = slide({ target, body, timestamp }, boundary === 'head', cut)
        if (moved === undefined) return
        const headers = ['merchant-id', edge.merchant.id, 'signature', signature, 'timestamp', moved.timestamp]
        // A target with a space is no HTTP at all, and no client sends it.
        if (!/^[!-~]+$/.test(moved.target) || !/^[!-~]*$/.test(moved.timestamp)) return
        const { status } = await edge.raw(
          operation.method,
          moved.target,
          headers,
          moved.body === '' ? undefined : moved.body,
        )
        expect(status).toBeGreaterThanOrEqual(400)
      }),
      { numRuns: cases(1_500) },
    )
    expect(edge.handled).toEqual([])
  })

  test('a request that is sent as another method is refused', async () => {
    const signature = sign(edge.merchant.privateKey, 'GET', '/merchants/balances?tickers=BTC', '', SECONDS)
    const headers = ['merchant-id', edge.merchant.id, 'signature', signature, 'timestamp', String(SECONDS)]
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE']) {
      expect((await edge.raw(method, '/merchants/balances?tickers=BTC', headers)).status).toBeGreaterThanOrEqual(400)
    }
    expect((await edge.raw('GET', '/merchants/balances?tickers=BTC', headers)).status).toBe(200)
  })

  test('A7 every byte of the body counts, regardless of its meaning', async () => {
    const signature = sign(
      edge.merchant.privateKey,
      'POST',
      '/merchants/addresses',
      '{"blockchain":"BITCOIN", "meta":"é"}',
      SECONDS,
    )
    const headers = ['merchant-id', edge.merchant.id, 'signature', signature, 'timestamp', String(SECONDS)]
    const post = async (body: string) => (await edge.raw('POST', '/merchants/addresses', headers, body)).status
    expect(await post('{"blockchain":"BITCOIN", "meta":"é"}')).toBe(200)
    for (const same of [
      '{"blockchain":"BITCOIN","meta":"é"}',
      '{"blockchain":"BITCOIN", "meta":"\\u00e9"}',
      '{"blockchain":"BITCOIN", "meta":"é"} ',
      '{"meta":"é", "blockchain":"BITCOIN"}',
      '{"blockchain":"BITCOIN", "meta":"e\u0301"}',
    ])
      expect(await post(same)).toBe(401)
  })
})

/** Moves a boundary of MESSAGE by some characters, keeping its bytes. Undefined where nothing moves. */
const slide = (
  { target, body, timestamp }: { target: string; body: string; timestamp: string },
  isHead: boolean,
  cut: number,
): { target: string; body: string; timestamp: string } | undefined => {
  const text = target + body + timestamp
  if (isHead) {
    const end = 1 + (cut % (text.length - 11))
    return end === target.length ? undefined : { target: text.slice(0, end), body: text.slice(end, -10), timestamp }
  }
  const tail = text.slice(target.length)
  const length = cut % (tail.length + 1)
  return length === 10
    ? undefined
    : { target, body: tail.slice(0, tail.length - length), timestamp: tail.slice(tail.length - length) }
}

describe('the headers', () => {
  const target = '/merchants/assets/crypto'
  const headers = (): HeaderList => [
    'merchant-id',
    edge.merchant.id,
    'signature',
    sign(edge.merchant.privateKey, 'GET', target, '', SECONDS),
    'timestamp',
    String(SECONDS),
  ]

  test.each(['merchant-id', 'signature', 'timestamp'])(
    'A6 %s sent twice is refused, in any spelling and with any value',
    async (name) => {
      expect((await edge.raw('GET', target, headers())).status).toBe(200)
      const value = headers()[headers().indexOf(name) + 1]!
      for (const again of [name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)]) {
        for (const other of [value, '', 'x']) {
          const after = await edge.raw('GET', target, [...headers(), again, other])
          const before = await edge.raw('GET', target, [again, other, ...headers()])
          for (const answer of [after, before]) expect(answer).toMatchObject({ status: 401, body: { code: -1 } })
        }
      }
      expect((await edge.raw('GET', target, [...headers(), name, value])).body.description).toContain(
        `${name} stands twice`,
      )
    },
  )

  test.each(['merchant-id', 'signature', 'timestamp'])('%s left out is refused', async (name) => {
    const at = headers().indexOf(name)
    expect(await edge.raw('GET', target, headers().toSpliced(at, 2))).toMatchObject({ status: 401, body: { code: -1 } })
  })

  test('names are matched in any case; a signature in capitals is refused', async () => {
    const [, id, , signature, , timestamp] = headers() as string[]
    expect(
      (await edge.raw('GET', target, ['Merchant-ID', id!, 'SIGNATURE', signature!, 'Timestamp', timestamp!])).status,
    ).toBe(200)
    expect(
      (
        await edge.raw('GET', target, [
          'merchant-id',
          id!,
          'signature',
          signature!.toUpperCase(),
          'timestamp',
          timestamp!,
        ])
      ).status,
    ).toBe(401)
    expect(
      (await edge.raw('GET', target, ['merchant-id', id!, 'signature', signature!.slice(1), 'timestamp', timestamp!]))
        .status,
    ).toBe(401)
  })
})

test('audit S-12: an equal request sent twice acts once when it moves money, and twice when it does not', async () => {
  const money = exampleOf(operations.find(({ id }) => id === 'createCryptoWithdrawal')!)!
  const keys = async (target: string, body: string): Promise<string[]> => {
    edge.handled.length = 0
    await edge.call('POST', target, body)
    await edge.call('POST', target, body)
    return edge.handled.map(({ answerKeys }) => answerKeys.map(({ key }) => key).join())
  }
  const [first, second] = await keys('/merchants/withdrawals/crypto', money)
  expect(first).toMatch(/^sig:[0-9a-f]{64}$/)
  // The ledger answers the second with the answer that it stored under this key.
  expect(second).toBe(first)
  expect(await keys('/merchants/addresses', '{"blockchain":"BITCOIN"}')).toEqual(['', ''])
})

test('the log says which key signed a request', async () => {
  await edge.call('GET', '/merchants/balances?tickers=BTC')
  const { keyId } = JSON.parse(edge.logged.at(-1)!) as { keyId: string }
  expect((await listKeys(edge.db, edge.merchant.id)).map(({ id }) => id)).toContain(keyId)
})
