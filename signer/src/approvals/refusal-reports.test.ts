import { expect, test } from 'vitest'
import { RefusalReports } from './refusal-reports.ts'
import { Sessions } from './sessions.ts'

test('refused answers are one line a minute for each code, with the number of those between', () => {
  let now = 1_700_000_000_000
  const lines: string[] = []
  const reports = new RefusalReports(
    (code, message) => lines.push(`${code}: ${message}`),
    () => now,
  )
  for (let time = 0; time < 1000; time++) reports.refused('a', 'first')
  reports.refused('b', 'second')
  now += 60_000
  for (let time = 0; time < 2; time++) reports.refused('a', 'again')
  now -= 3_600_000
  reports.refused('a', 'earlier')
  expect(lines).toEqual([
    'a: first',
    'b: second',
    'a: again (and 999 more since 2023-11-14T22:13:20.000Z)',
    'a: earlier (and 1 more since 2023-11-14T22:14:20.000Z)',
  ])
})

test('a sign-in token takes five refused answers', () => {
  const sessions = new Sessions('https://approve.example.com', () => 1_700_000_000_000)
  const { token, challenge } = sessions.makeChallenge()
  for (let time = 0; time < 5; time++) {
    expect(sessions.challengeOf(token)).toEqual(challenge)
    sessions.refused(token)
  }
  expect(sessions.challengeOf(token)).toBeUndefined()
  expect(sessions.challengeOf(sessions.makeChallenge().token)).toBeDefined()
})
