import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestHeaders } from '@bursar/contract'
import { inTransaction } from '../../platform/db/index.ts'
import {
  addAdditionalKey,
  createDirectory,
  createEndpoints,
  listKeys,
  revokeAdditionalKey,
  revokeKey,
  rotateKey,
  setDisabled,
  setSetting,
} from '../../merchants/accounts/index.ts'
import { box, keyDeps, makeMerchant, momentAt } from '../../../../test/world/merchant.ts'
import { useDb } from '../../../../test/world/database.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const { url, pool, db } = useDb()
const children: ChildProcess[] = []
const ports: number[] = []

beforeAll(async () => {
  for (const name of ['api one', 'api two']) {
    const child = fork(new URL('./test-process.ts', import.meta.url), {
      env: { ...process.env, DATABASE_URL: url, NAME: name },
    })
    children.push(child)
    ports.push(((await once(child, 'message')) as [{ port: number }])[0].port)
  }
})
afterAll(async () => {
  for (const child of children) child.disconnect()
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))
})

/** @param keyId of an additional key */
const ask = async (port: number, id: string, key: string, keyId?: string): Promise<number> => {
  const target = '/merchants/assets/crypto'
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = {
    [requestHeaders.merchantId]: id,
    [requestHeaders.signature]: sign(key, 'GET', target, '', timestamp),
    [requestHeaders.timestamp]: timestamp,
    ...(keyId !== undefined && { [requestHeaders.keyId]: keyId }),
  }
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers })
  await answer.arrayBuffer()
  return answer.status
}
const everywhere = (id: string, key: string, keyId?: string): Promise<number[]> =>
  Promise.all(ports.map((port) => ask(port, id, key, keyId)))

/** Waits until every process answers so. No cached value ends by itself meanwhile: the process was notified. */
const until = async (id: string, key: string, status: number, keyId?: string): Promise<void> => {
  const startedAt = performance.now()
  while (!(await everywhere(id, key, keyId)).every((one) => one === status)) {
    if (performance.now() - startedAt > 120_000) throw new Error(`not everywhere ${status} after two minutes`)
    await sleep(5)
  }
}
const changed = (work: Parameters<typeof inTransaction>[1]) => inTransaction(db, work)
const now = () => momentAt(Date.now())

describe('two api processes', () => {
  test('know a new merchant, a rotated key and a revoked one by notification, and never wrongly refuse a good key meanwhile', async () => {
    const made = await makeMerchant(db, Date.now())
    await until(made.id, made.privateKey, 200)
    let over = false
    const wrong: number[] = []
    const load = (async () => {
      while (!over)
        for (const status of await everywhere(made.id, made.privateKey)) if (status !== 200) wrong.push(status)
    })()
    const rotated = (await changed((tx) =>
      rotateKey(tx, made.id, { purpose: 'api', overlapMs: 3_600_000 }, keyDeps, now()),
    )) as { keyId: string; secret: string }
    await until(made.id, rotated.secret, 200)
    await sleep(200)
    over = true
    await load
    expect(wrong).toEqual([])
    const [old] = (await listKeys(db, made.id)).filter(({ purpose }) => purpose === 'api')
    await changed((tx) => revokeKey(tx, made.id, old!.id, keyDeps, now()))
    await until(made.id, made.privateKey, 401)
    expect(await everywhere(made.id, rotated.secret)).toEqual([200, 200])
    await changed((tx) => setDisabled(tx, made.id, true, keyDeps, now()))
    await until(made.id, rotated.secret, 401)
  })

  test('know a new additional key and a revoked one by notification; the main key stays', async () => {
    const { id, privateKey } = await makeMerchant(db, Date.now())
    const given = {
      merchantId: id,
      name: 'Shop',
      scopes: ['read' as const],
      addresses: [],
      expiresAt: null,
      createdBy: 'cli:test',
      formId: null,
    }
    const made = await inTransaction(db, (tx) =>
      addAdditionalKey(tx, given, keyDeps, { real: new Date(), newId: now().newId }),
    )
    if (made.secret === undefined) throw new Error(made.problem)
    await until(id, made.secret, 200, made.id)
    await changed((tx) => revokeAdditionalKey(tx, { merchantId: id, id: made.id }, new Date()))
    await until(id, made.secret, 401, made.id)
    expect(await everywhere(id, privateKey)).toEqual([200, 200])
  })

  test('learn the changes made while their listening connections were gone', async () => {
    const made = await makeMerchant(db, Date.now())
    await until(made.id, made.privateKey, 200)
    await changed((tx) => rotateKey(tx, made.id, { purpose: 'api', overlapMs: 3_600_000 }, keyDeps, now()))
    const [old] = (await listKeys(db, made.id)).filter(({ purpose }) => purpose === 'api')
    // Both at once: no process listens when the change is announced.
    const client = await pool.connect()
    await client.query('begin')
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'api % listener'",
    )
    await client.query('update merchant_keys set revoked_at = $1 where id = $2', [new Date(), old!.id])
    await client.query('commit')
    client.release()
    await until(made.id, made.privateKey, 401)
  })

  test('note the first use of a key once, and notifications keep the old key meanwhile', async () => {
    const made = await makeMerchant(db, Date.now(), { settings: { notificationsUrl: 'https://shop.example/hook' } })
    const rotated = (await changed((tx) =>
      rotateKey(tx, made.id, { purpose: 'api', overlapMs: 3_600_000 }, keyDeps, now()),
    )) as { keyId: string; secret: string }
    await until(made.id, rotated.secret, 200)
    await Promise.all(Array.from({ length: 20 }, () => everywhere(made.id, rotated.secret)))
    await sleep(200)
    const used = (await listKeys(db, made.id)).filter(({ firstUsedAt }) => firstUsedAt !== null)
    expect(used.map(({ id }) => id)).toEqual([rotated.keyId])
    const endpoint = await createEndpoints(createDirectory(db, box), { business: Date.now })(made.id)
    expect(endpoint?.signingKey).toBe(made.privateKey)
  })

  test('limit a merchant anew as soon as its setting changes', async () => {
    const made = await makeMerchant(db, Date.now())
    await until(made.id, made.privateKey, 200)
    await changed((tx) => setSetting(tx, made.id, { name: 'requestsPerMinute', value: '1' }, keyDeps, now()))
    await until(made.id, made.privateKey, 429)
  })
})
