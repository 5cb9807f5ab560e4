/** The simulation's HTTP front: a client's view of an answer that is empty, broken off or not given. */
import { afterEach, expect, test } from 'vitest'
import { createFaults, type Fault } from '../faults.ts'
import { createRandom } from '../../../sandbox/random.ts'
import { startHttpFront, type HttpFront } from './http.ts'

let front: HttpFront
let reached = 0

const open = async (kind: Fault): Promise<void> => {
  reached = 0
  const faults = createFaults(createRandom('front'))
  faults.set('it', 1, [kind])
  const forward = async () => {
    reached += 1
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('a whole answer') }
  }
  front = await startHttpFront({ name: 'it', faults, forward })
}

afterEach(() => front.close())

test('an empty answer has its status, and the counterparty has acted', async () => {
  await open('empty')
  const answer = await fetch(front.url)
  expect([answer.status, await answer.text(), reached]).toEqual([200, '', 1])
})

test('an answer that is broken off never ends, and the counterparty has acted', async () => {
  await open('broken-off')
  const answer = await fetch(front.url)
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow('terminated')
  expect(reached).toBe(1)
})

test('a gateway without a counterparty names a time, and nothing reaches the counterparty', async () => {
  await open('http-503')
  const answer = await fetch(front.url)
  expect([answer.status, answer.headers.get('retry-after'), reached]).toEqual([503, '1', 0])
  await answer.text()
})
