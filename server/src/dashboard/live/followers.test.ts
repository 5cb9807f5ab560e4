/** Open streams get the version of their own merchant, and only while the session is open. */
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFollowers, type Followers } from './followers.ts'

const EVERY_MS = 5

const openWorld = (mostPerPerson = 2) => {
  const versions = new Map([
    ['one', 'a'],
    ['other', 'b'],
  ])
  const asked: string[][] = []
  let fails = 0
  const followers = createFollowers({
    versions: async (merchantIds) => {
      asked.push([...merchantIds])
      if (fails > 0) {
        fails -= 1
        throw new Error('no database')
      }
      return versions
    },
    log: pino({ level: 'silent' }),
    everyMs: EVERY_MS,
    mostPerPerson,
  })
  return { followers, versions, asked, fail: (times: number) => (fails = times) }
}

const open = (followers: Followers, merchantId = 'one', personId = 'ann') => {
  const said: string[] = []
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const session = { isOpen: true, checks: 0 }
  const isStillAllowed = async (): Promise<boolean> => {
    session.checks += 1
    return session.isOpen
  }
  let isEnded = false
  void followers
    .follow({ merchantId, personId, isStillAllowed }, (chunk) => said.push(chunk), leaving.signal)
    .then(() => (isEnded = true))
  const versions = (): string[] => said.filter((chunk) => chunk.startsWith('data'))
  return { said, versions, session, leave: () => leaving.abort(), isEnded: () => isEnded }
}

describe('an open stream', () => {
  test('gets the version when it begins, and then each later version of its merchant once', async () => {
    const { followers, versions } = openWorld()
    const [one, other] = [open(followers), open(followers, 'other')]
    await expect.poll(() => [one.versions(), other.versions()]).toEqual([['data: a\n\n'], ['data: b\n\n']])
    versions.set('one', 'c')
    await expect.poll(one.versions).toEqual(['data: a\n\n', 'data: c\n\n'])
    // A beat is written after several rounds without a change.
    await expect.poll(() => one.said.at(-1)).toBe(':\n\n')
    await expect.poll(() => other.said.at(-1)).toBe(':\n\n')
    expect(one.versions()).toHaveLength(2)
    expect(other.versions()).toEqual(['data: b\n\n'])
    expect(one.said[0]).toBe('retry: 5000\n\n')
  })

  test('ends without a message when the session has ended, also when nothing changes', async () => {
    const { followers, versions } = openWorld()
    const [one, idle] = [open(followers), open(followers, 'other')]
    await expect.poll(() => [one.versions(), idle.versions()]).toEqual([['data: a\n\n'], ['data: b\n\n']])
    one.session.isOpen = false
    idle.session.isOpen = false
    versions.set('one', 'c')
    await expect.poll(() => [one.isEnded(), idle.isEnded()]).toEqual([true, true])
    expect([one.versions(), idle.versions()]).toEqual([['data: a\n\n'], ['data: b\n\n']])
  })

  test('gets a change after reads that failed', async () => {
    const { followers, versions, fail } = openWorld()
    const one = open(followers)
    await expect.poll(one.versions).toEqual(['data: a\n\n'])
    fail(3)
    versions.set('one', 'c')
    await expect.poll(one.versions).toEqual(['data: a\n\n', 'data: c\n\n'])
  })

  test('ends with its signal, and then nothing is read', async () => {
    const { followers, asked } = openWorld()
    const one = open(followers)
    await expect.poll(one.versions).toEqual(['data: a\n\n'])
    one.leave()
    await expect.poll(one.isEnded).toBe(true)
    expect(followers.hasPlace('ann')).toBe(true)
    const { length } = asked
    await new Promise((resolve) => setTimeout(resolve, 20 * EVERY_MS))
    // A read that had begun may still end.
    expect(asked.length - length).toBeLessThanOrEqual(1)
  })

  test('counts for the limit of its person, for all merchants together', async () => {
    const { followers } = openWorld()
    const two = [open(followers), open(followers, 'other')]
    expect([followers.hasPlace('ann'), followers.hasPlace('ben')]).toEqual([false, true])
    const third = open(followers)
    await expect.poll(third.isEnded).toBe(true)
    expect(third.said).toEqual([])
    two[0]!.leave()
    expect(followers.hasPlace('ann')).toBe(true)
  })

  test('shares one read of the versions with all others', async () => {
    const { followers, asked } = openWorld(10)
    const all = [open(followers), open(followers), open(followers, 'other', 'ben')]
    await expect.poll(() => all.every((one) => one.versions().length === 1)).toBe(true)
    await expect.poll(() => asked.at(-1)).toEqual(['one', 'other'])
  })
})
