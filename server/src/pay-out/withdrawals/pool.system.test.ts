/**
 * Several hot addresses on anvil: money is shared out between them, all of them pay, and books and chain agree at each.
 */
import { checksumAddress } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { parseTransaction } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { poison } from '../../../../test/setup/poison.ts'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { setPrices } from '../../../../test/world/prices.ts'
import { EVM_HOT, WALLET } from '../../../../test/world/wallet.ts'
import { evmHotKeys } from '../../chain/transactions/index.ts'

const E18 = 10n ** 18n
const COUNT = 3
const EACH = 2
const POOL = evmHotKeys(WALLET, COUNT).map(({ address }) => address)
/** The operator's copy of the hot keys, in another library. */
const PHRASE = `${'test '.repeat(11)}junk`
const COLD = checksumAddress(`0x${'c0'.repeat(20)}`)
const opened = useColdOnAnvil({
  treasury: { hot: { ETH: { cap: `${40n * E18}`, target: `${20n * E18}`, cold: COLD } } },
  hotAddresses: COUNT,
  mostInFlight: EACH,
})
let node: EvmWorld
let here: ColdWorld

beforeEach(async () => {
  ;({ node, cold: here } = opened())
  await setPrices(here.runtime, { ETH: 2_000n * E18, USDT: E18 })
})

const fill = async (coin: bigint, token = 0n): Promise<void> => {
  await node.pay(EVM_HOT, coin)
  if (token > 0n) await node.contracts.payToken(node.contracts.token, EVM_HOT, token)
  await here.mine(4)
}
const share = async (): Promise<void> => {
  for (let i = 0; i < 3; i += 1) {
    await here.rebalance()
    await here.send()
    await here.mine(1)
  }
}
const coinAt = async (address: string): Promise<bigint> =>
  BigInt(await node.node.rpc<string>('eth_getBalance', address, 'latest'))
const tokenAt = async (address: string): Promise<bigint> =>
  (
    await node.adapter.balancesAt((await node.adapter.head()).height, [
      { address, contract: node.contracts.token.toLowerCase() },
    ])
  )[0]!
const booksAgree = async (): Promise<void> => {
  for (const address of POOL) {
    expect(await here.custody(address, 'ETH'), address).toBe(await coinAt(address))
    expect(await here.custody(address, 'USDT'), address).toBe(await tokenAt(address))
  }
  await here.mine(3)
  for (const line of (await here.reconcile()).lines) expect(line).toMatchObject({ short: 0n, surplus: 0n })
}
const nonces = async (): Promise<Record<string, number[]>> => {
  const { rows } = await sql<{
    sender: string
    nonce: number
  }>`select senders[1] as sender, nonce from outgoing where state <> 'abandoned' order by 1, 2`.execute(here.db)
  return Object.fromEntries(
    POOL.map((address) => [address, rows.filter(({ sender }) => sender === address).map(({ nonce }) => nonce)]),
  )
}
const withoutGap = async (): Promise<void> => {
  for (const used of Object.values(await nonces())) expect(used).toEqual(used.map((_, i) => i))
}

describe('a pool of hot addresses', () => {
  test('money that arrives at the first is shared out; that costs the platform its fees and changes nothing else', async () => {
    await fill(9n * E18, 9_000_000_000n)
    await share()
    for (const address of POOL) {
      expect(await coinAt(address), address).toBeGreaterThan((29n * E18) / 10n)
      expect(await tokenAt(address), address).toBe(3_000_000_000n)
    }
    const fees = 9n * E18 - (await Promise.all(POOL.map(coinAt))).reduce((a, b) => a + b, 0n)
    expect(fees).toBeGreaterThan(0n)
    expect(await here.platform('ETH', 'network-costs')).toBe(-fees)
    expect(await here.platform('ETH', 'capital')).toBe(9n * E18)
    await booksAgree()
    const before = await nonces()
    await share()
    expect(await nonces(), 'and then rests').toEqual(before)
  })

  test('all of them pay at once, as many as each may have on its way, with nonces of its own', async () => {
    await fill(9n * E18, 9_000_000_000n)
    await share()
    const receivers = await Promise.all(Array.from({ length: 14 }, () => node.newAddress()))
    const ids = await Promise.all(
      receivers.map((to, i) => (i % 2 === 0 ? here.request('USDT', to, 500_000n) : here.request('ETH', to, E18 / 10n))),
    )
    await here.pay()
    await here.send()
    const { rows } = await sql<{ sender: string; n: number }>`select senders[1] as sender, count(*) as n from outgoing
      where purpose = 'payout' and state = 'broadcast' group by 1`.execute(here.db)
    expect(Object.fromEntries(rows.map(({ sender, n }) => [sender, n]))).toEqual(
      Object.fromEntries(POOL.map((address) => [address, EACH])),
    )
    for (let i = 0; i < 3; i += 1) {
      await here.mine(1)
      await here.pay()
      await here.send()
    }
    await here.mine(4)
    expect(new Set(await Promise.all(ids.map((id) => here.withdrawal(id))))).toEqual(new Set(['settled']))
    for (const [i, to] of receivers.entries())
      expect(i % 2 === 0 ? await tokenAt(to) : await coinAt(to)).toBe(i % 2 === 0 ? 500_000n : E18 / 10n)
    await withoutGap()
    await booksAgree()
  })

  test('a payment that a defect keeps from being planned keeps no other waiting', async () => {
    await fill(9n * E18, 9_000_000_000n)
    const receivers = await Promise.all([node.newAddress(), node.newAddress()])
    const ids = await Promise.all(receivers.map((to) => here.request('ETH', to, E18 / 10n)))
    const cure = await poison(here.db, 'withdrawals', ids[0]!)
    await expect(here.pay()).rejects.toThrow(/planning a payout/)
    expect(await Promise.all(ids.map((id) => here.withdrawal(id)))).toEqual(['requested', 'planned'])
    await cure()
    await here.pay()
    await here.send()
    await here.mine(5)
    expect(await Promise.all(ids.map((id) => here.withdrawal(id)))).toEqual(['settled', 'settled'])
    await withoutGap()
  })

  test('a payment too large for each address is gathered for, without an alert, and smaller ones pass meanwhile', async () => {
    await fill(9n * E18, 9_000_000_000n)
    await share()
    const [large, small] = [await node.newAddress(), await node.newAddress()]
    const ids = [await here.request('USDT', large, 8_000_000_000n), await here.request('USDT', small, 400_000n)]
    await here.pay()
    expect(await Promise.all(ids.map((id) => here.withdrawal(id)))).toEqual(['requested', 'planned'])
    expect(await here.alerts()).toEqual([])
    await here.send()
    await here.mine(1)
    for (let i = 0; i < 3; i += 1) {
      await here.rebalance()
      await here.pay()
      await here.send()
      await here.mine(1)
    }
    await here.mine(4)
    expect(await tokenAt(large)).toBe(8_000_000_000n)
    expect(await tokenAt(small)).toBe(400_000n)
    await withoutGap()
    await booksAgree()
  })

  test('one more than all have raises an alert, and its amount stays untouched', async () => {
    await fill(9n * E18, 9_000_000_000n)
    await share()
    const id = await here.request('USDT', await node.newAddress(), 9_000_000_001n)
    await here.pay()
    expect(await here.withdrawal(id)).toBe('requested')
    expect(await here.alerts()).toEqual(['hot-wallet-short'])
  })

  test('E6 the nonces of a refused payment are used by the next payments of that address, without a filler', async () => {
    await fill(9n * E18)
    await share()
    here.before.answer = async (request) => {
      if (request.purpose === 'payout' && request.keys[0]!.index === 1)
        Object.assign(request, { purpose: 'filler', intents: [] })
    }
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => here.request('ETH', await node.newAddress(), E18 / 10n)),
    )
    await here.pay()
    await here.send()
    await here.pay()
    await here.send()
    await here.mine(1)
    here.before.answer = async () => {}
    here.later(6 * 60_000)
    for (let i = 0; i < 3; i += 1) {
      await here.pay()
      await here.send()
      await here.mine(1)
    }
    await here.mine(4)
    expect(new Set(await Promise.all(ids.map((id) => here.withdrawal(id))))).toEqual(new Set(['settled']))
    const { rows } = await sql`select from outgoing where purpose = 'filler'`.execute(here.db)
    expect(rows).toEqual([])
    await withoutGap()
    await booksAgree()
  })

  test('killed before a move is stored, or while it is signed and sent, money moves once', async () => {
    await fill(9n * E18, 9_000_000_000n)
    for (const point of [
      'rebalance-chosen',
      'before-sign',
      'signed-not-stored',
      'stored-not-broadcast',
      'broadcast-not-recorded',
    ]) {
      here.before.pause = async (name) => {
        if (name === point) throw new Error(`killed at ${point}`)
      }
      await here.rebalance().catch(() => {})
      await here.send().catch(() => {})
      here.before.pause = async () => {}
      here.later(60_000)
    }
    await share()
    for (const address of POOL) expect(await tokenAt(address), address).toBe(3_000_000_000n)
    await withoutGap()
    await booksAgree()
  })

  test('B5 transactions that the node has forgotten are broadcast again with the same bytes, and paid once', async () => {
    await fill(9n * E18)
    await share()
    const receivers = await Promise.all(Array.from({ length: 4 }, () => node.newAddress()))
    const ids = await Promise.all(receivers.map((to) => here.request('ETH', to, E18 / 10n)))
    await here.pay()
    await here.send()
    const signed = async (): Promise<string[]> =>
      (
        await sql<{ raw: string }>`select raw from outgoing_attempts where raw is not null order by raw`.execute(
          here.db,
        )
      ).rows.map(({ raw }) => raw)
    const before = await signed()
    await node.node.rpc('anvil_dropAllTransactions')
    await here.mine(1)
    expect(await Promise.all(ids.map((id) => here.withdrawal(id)))).toEqual(ids.map(() => 'sent'))
    here.later(60_000)
    await here.send()
    await here.mine(4)
    expect(await Promise.all(ids.map((id) => here.withdrawal(id)))).toEqual(ids.map(() => 'settled'))
    expect(await Promise.all(receivers.map(coinAt))).toEqual(receivers.map(() => E18 / 10n))
    expect(await signed()).toEqual(before)
    await withoutGap()
  })

  test('excess over all of them is counted together and leaves from the richest, which keeps its share', async () => {
    await fill(60n * E18)
    await share()
    const sent: { from: string; units: bigint }[] = []
    for (let at = 0; at < 2; at += 1) {
      await here.offer()
      const { transfer, attempt, outgoing } = await here.open()
      const from = outgoing.senders[0]!
      sent.push({ from, units: transfer.units })
      const hot = mnemonicToAccount(PHRASE, { path: `m/44'/60'/1'/0/${POOL.indexOf(from)}` })
      const bytes = await hot.signTransaction(parseTransaction(attempt.unsigned as `0x${string}`) as never)
      expect(await here.take(transfer.id, Buffer.from(bytes.slice(2), 'hex'))).toHaveProperty('hash')
      await here.send()
      await here.mine(4)
    }
    const [first, second] = sent
    expect(second!.from).not.toBe(first!.from)
    for (const { from } of sent) expect(await coinAt(from)).toBeGreaterThan((20n * E18) / BigInt(COUNT) - E18 / 100n)
    expect(await coinAt(COLD)).toBe(first!.units + second!.units)
    expect(first!.units + second!.units).toBeGreaterThan(26n * E18)
    await booksAgree()
  })

  test('of a hot wallet that is to keep nothing, the fee stays', async () => {
    here.treasury.hot.set('ETH', { ...here.treasury.hot.get('ETH')!, target: 0n })
    await fill(60n * E18)
    await share()
    await here.offer()
    const { transfer, attempt, outgoing } = await here.open()
    const coin = await coinAt(outgoing.senders[0]!)
    expect(transfer.units).toBe(coin - attempt.networkFee)
  })
})
