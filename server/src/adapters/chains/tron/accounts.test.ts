import { addressOfHex } from '@bursar/chainkit/tron'
import { expect, test } from 'vitest'
import type { Timer } from '../pauses.ts'
import { headerOf, startScriptedNode } from '../../../../../test/world/scripted-tron-node.ts'

const SOLID_MS = 3_000

/**
 * A node whose solidified head moves on every three seconds, behind a gateway that takes so long for each question, one
 * after the other.
 */
const start = async (msEach: number) => {
  let now = 0
  const timer: Timer = {
    now: () => now,
    sleep: async (ms) => {
      now += ms
    },
  }
  const node = await startScriptedNode(
    {
      'walletsolidity/getblock': () => {
        now += msEach
        return headerOf(100 + Math.floor(now / SOLID_MS))
      },
      'walletsolidity/getaccount': ({ address }) => {
        now += msEach
        return { address, balance: 7 }
      },
    },
    { timer },
  )
  return node
}

const wantedOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    address: addressOfHex(`41${(i + 1).toString(16).padStart(40, '0')}`),
    contract: null,
  }))

test('audit D-T7: where a gateway is slow, a page of balances becomes as small as one final block allows', async () => {
  // 15 requests a second are 66 ms for each: 50 balances take longer than a head stands.
  const { adapter, asked } = await start(66)
  expect(adapter.mostAtFinal!()).toBe(50)
  await expect(adapter.balancesAtFinal(wantedOf(50))).rejects.toThrow('ask for fewer')
  // Once is enough to see that.
  expect(asked.length).toBeLessThanOrEqual(2 * 52)
  for (let read = 0; read < 200;) {
    const most = adapter.mostAtFinal!()
    const answer = await adapter.balancesAtFinal(wantedOf(most)).catch(() => undefined)
    // Too many for the pace that this reading has shown: the next one is smaller.
    if (!answer) expect(adapter.mostAtFinal!()).toBeLessThan(most)
    read += answer?.units.length ?? 0
  }
  expect(adapter.mostAtFinal!()).toBeGreaterThanOrEqual(14)
  expect(adapter.mostAtFinal!()).toBeLessThan(20)
})

test('audit D-T7: a fast node is asked for full pages', async () => {
  const { adapter } = await start(2)
  for (let i = 0; i < 5; i += 1) await adapter.balancesAtFinal(wantedOf(50))
  expect(adapter.mostAtFinal!()).toBe(50)
})
