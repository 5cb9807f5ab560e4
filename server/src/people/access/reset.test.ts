/** A person whose access an operator resets, and the data key of their secrets. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { lockWaiters } from '../../../../test/world/locks.ts'
import { createAuthenticator } from '../../../../test/world/authenticator.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { fieldOf, seedOf, textOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  countSealedSeeds,
  findSession,
  hasPassword,
  nowOf,
  ProofNeeded,
  resealSeeds,
  resetAccess,
  setPassword,
  signInByPasskey,
} from './index.ts'

const { edge, deps, browse, inviteTo, newAddress, codeAt, origin } = useDashboard()

test('a reset ends every way to sign in and every session at once, and its link sets up another', async () => {
  const email = newAddress()
  const [path, browser, key] = [await inviteTo(email), browse(), createAuthenticator(origin)]
  const made = key.make(await browser.optionsOf(path, 'passkey'))
  expect((await browser.post(path, { do: 'passkey', name: 'Lost phone', answer: made })).status).toBe(303)
  const given = { merchantId: edge.merchant.id, email, language: 'en', actor: 'cli:test' } as const
  const { url } = await inTransaction(edge.db, (tx) =>
    resetAccess(tx, given, { random: randomBytes, publicUrl: origin }, nowOf(deps.runtime)),
  )
  expect((await browser.get('/app')).status).toBe(303)
  const found = key.use(await browse().optionsOf('/app/sign-in', 'passkey'))
  expect((await browse().post('/app/sign-in', { do: 'passkey', answer: found })).status).toBe(400)

  const [next, link] = [createAuthenticator(origin), new URL(url).pathname]
  const answer = next.make(await browser.optionsOf(link, 'passkey'))
  expect((await browser.post(link, { do: 'passkey', name: 'New phone', answer })).status).toBe(303)
  expect(textOf(await browser.get('/app'))).toMatch(/Shop owner/)
  expect((await browse().post(link, { do: 'passkey', name: 'again', answer })).status).toBe(404)
  const { rows } = await sql<{ event: string }>`select data ->> 'event' as event from mails
    where recipient = ${email} and kind = 'dashboard-notice'`.execute(edge.db)
  expect(rows).toEqual([{ event: 'access-reset' }])
})

test('a reset withdraws the links of earlier resets, also those of other merchants', async () => {
  const email = newAddress()
  const [path, browser] = [await inviteTo(email), browse()]
  const made = createAuthenticator(origin).make(await browser.optionsOf(path, 'passkey'))
  await browser.post(path, { do: 'passkey', name: 'Phone', answer: made })
  const other = await makeMerchant(edge.db, edge.clock.ms)
  expect((await browser.post(await inviteTo(email, 'viewer', other.id), { do: 'accept' })).status).toBe(303)
  const links: string[] = []
  for (const merchantId of [edge.merchant.id, other.id]) {
    const given = { merchantId, email, language: 'en', actor: 'cli:test' } as const
    const { url } = await inTransaction(edge.db, (tx) =>
      resetAccess(tx, given, { random: randomBytes, publicUrl: origin }, nowOf(deps.runtime)),
    )
    links.push(new URL(url).pathname)
  }
  expect((await browse().get(links[0]!)).status).toBe(404)
  expect((await browse().get(links[1]!)).status).toBe(200)
})

test('a reset ends the session of a sign-in that has been accepted and is not stored yet', async () => {
  const email = newAddress()
  const [path, browser, key] = [await inviteTo(email), browse(), createAuthenticator(origin)]
  const made = key.make(await browser.optionsOf(path, 'passkey'))
  await browser.post(path, { do: 'passkey', name: 'Phone', answer: made })
  const answer = key.use(await browse().optionsOf('/app/sign-in', 'passkey'))

  const random = (count: number): Buffer => Buffer.alloc(count, 5)
  const token = random(32).toString('base64url')
  const first = await edge.pool.connect()
  await first.query('begin')
  // Raw: a session with the same token that is not committed. The sign-in waits for the end of that transaction.
  await first.query(
    `insert into dashboard_sessions(id, person_id, token_hash, method, agent, created_at, seen_at, proved_at, ends_at)
      select gen_random_uuid(), id, sha256($1), 'passkey', 'x', now(), now(), now(), now() from dashboard_people
      where address = $2`,
    [Buffer.from(token), email],
  )
  const signedIn = signInByPasskey({ ...deps, random }, answer, 'Firefox/1', nowOf(deps.runtime))
  await expect.poll(() => lockWaiters(edge.db), { timeout: 60_000 }).toBe(1)
  let isReset = false
  const given = { merchantId: edge.merchant.id, email, language: 'en', actor: 'cli:test' } as const
  const reset = inTransaction(edge.db, (tx) =>
    resetAccess(tx, given, { random: randomBytes, publicUrl: origin }, nowOf(deps.runtime)),
  ).then(() => {
    isReset = true
  })
  await expect.poll(async () => isReset || (await lockWaiters(edge.db)) === 2, { timeout: 60_000 }).toBe(true)
  await first.query('rollback')
  first.release()
  await reset
  expect(await signedIn).toBe(token)
  expect(await findSession(edge.db, token, new Date(edge.clock.ms))).toBeUndefined()
})

test('a reset leaves no password that a session of the person was setting meanwhile', async () => {
  const email = newAddress()
  const [path, browser] = [await inviteTo(email), browse()]
  const made = createAuthenticator(origin).make(await browser.optionsOf(path, 'passkey'))
  await browser.post(path, { do: 'passkey', name: 'Phone', answer: made })
  const session = (await findSession(edge.db, browser.cookie!, new Date(edge.clock.ms)))!
  const seed = randomBytes(20)
  const typed = { password: 'orbit velvet cactus', seed, code: codeAt(seed) }
  // The password is being hashed while the access is reset.
  const passwords = {
    ...deps.passwords,
    hash: async (password: string) => {
      const given = { merchantId: edge.merchant.id, email, language: 'en', actor: 'cli:test' } as const
      await inTransaction(edge.db, (tx) =>
        resetAccess(tx, given, { random: randomBytes, publicUrl: origin }, nowOf(deps.runtime)),
      )
      return deps.passwords.hash(password)
    },
  }
  const { db, random, ring } = deps
  const unproved = { ...session, isProved: false }
  await expect(setPassword(deps, unproved, typed, nowOf(deps.runtime))).rejects.toThrow(ProofNeeded)
  const setting = setPassword({ db, random, ring, passwords }, session, typed, nowOf(deps.runtime))
  await expect(setting).rejects.toThrow(ProofNeeded)
  expect(await hasPassword(edge.db, session.person.id)).toBe(false)
})

test('the audit of people can be changed by no statement', async () => {
  await expect(sql`update dashboard_audit set actor = 'x'`.execute(edge.db)).rejects.toThrow()
  await expect(sql`delete from dashboard_audit`.execute(edge.db)).rejects.toThrow()
})

test('secrets of one-time codes are encrypted for their person, and sealed anew with the newest data key', async () => {
  const email = newAddress()
  const [path, browser] = [await inviteTo(email), browse()]
  const page = await browser.get(path)
  const seed = seedOf(page)
  const form = { do: 'password', password: 'orbit velvet cactus', seed: fieldOf(page, 'seed'), code: codeAt(seed) }
  expect((await browser.post(path, form)).status).toBe(200)
  const sealedOf = async () =>
    (
      await sql<{
        id: string
        sealed: string
      }>`select person_id as id, sealed_seed as sealed from dashboard_passwords`.execute(edge.db)
    ).rows[0]!
  const { id, sealed } = await sealedOf()
  expect(() => deps.ring.open(sealed, 'one-time-code|another')).toThrow()
  const newer = createSecretRing([new Uint8Array(32).fill(9), new Uint8Array(32).fill(7)])
  const first = '00000000-0000-0000-0000-000000000000'
  const reseal = () => inTransaction(edge.db, (tx) => resealSeeds(tx, newer, first, 10))
  expect([await reseal(), await reseal()]).toEqual([
    { resealed: 1, last: undefined },
    { resealed: 0, last: undefined },
  ])
  const again = await sealedOf()
  expect(newer.open(again.sealed, `one-time-code|${id}`)).toBe(seed.toString('base64'))
  expect(await countSealedSeeds(edge.db)).toEqual([{ prefix: newer.newest, count: 1 }])
})
