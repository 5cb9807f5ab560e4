/**
 * ETH and USDT to cold storage on anvil: signed elsewhere with the hot wallet's key, followed to the last wei, beside
 * payouts.
 */
import { isRefused } from '@bursar/chainkit'
import { parseSigned, parseUnsigned, serializeUnsigned, toHex } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { parseTransaction } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'

const E18 = 10n ** 18n
const MINUTE = 60_000
/** The operator's copy of the hot key, in another library: m/44'/60'/1'/0/0. */
const operator = mnemonicToAccount(`${'test '.repeat(11)}junk`, { path: "m/44'/60'/1'/0/0" })
/** The operator's cold key. */
const vault = privateKeyToAccount(`0x${'c0'.repeat(32)}`)
const COLD = vault.address as string

const opened = useColdOnAnvil({
  treasury: {
    hot: {
      ETH: { cap: `${20n * E18}`, target: `${12n * E18}`, low: `${2n * E18}`, slack: `${E18}`, cold: COLD },
      USDT: { cap: '5000000000', target: '3000000000', cold: COLD },
    },
    signWithinMs: 60 * MINUTE,
  },
})
let node: EvmWorld
let cold: ColdWorld

beforeAll(() => expect(operator.address).toBe(EVM_HOT))
beforeEach(() => {
  ;({ node, cold } = opened())
})

const fund = async (eth: bigint, tether = 0n): Promise<void> => {
  if (eth > 0n) await node.pay(EVM_HOT, eth)
  if (tether > 0n) await node.contracts.payToken(node.contracts.token, EVM_HOT, tether)
  await cold.mine(4)
}
const signed = async (unsigned: string): Promise<Uint8Array> =>
  Buffer.from((await operator.signTransaction(parseTransaction(unsigned as `0x${string}`) as never)).slice(2), 'hex')
const chainHolds = async (address: string): Promise<bigint> =>
  BigInt(await node.node.rpc<string>('eth_getBalance', address, 'latest'))
const equal = async (): Promise<void> => {
  for (const line of (await cold.reconcile()).lines) {
    expect(line.onChain, line.ticker).toBe(line.booked)
    expect(line).toMatchObject({ short: 0n, surplus: 0n })
  }
}
const someone = (): Promise<string> => node.newAddress()

describe('above the cap', () => {
  test('the excess down to the target is handed out, signed elsewhere, taken in, mined and reconciled', async () => {
    await fund(30n * E18)
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    expect(transfer).toMatchObject({ asset: 'ETH', units: 18n * E18, to: COLD })
    expect(await cold.alerts()).toEqual(['cold-offered'])
    await cold.offer()
    expect(await cold.transfers()).toEqual(['offered'])
    const file = await cold.file(transfer.id)
    expect(file).toMatchObject({
      amount: '18',
      units: `${18n * E18}`,
      from: [EVM_HOT],
      to: COLD,
      fields: { chainId: '31337', value: `${18n * E18}`, to: COLD },
    })
    const before = await cold.platform('ETH', 'custody:ETHEREUM')
    expect(await cold.take(transfer.id, await signed(attempt.unsigned))).toHaveProperty('hash')
    expect(await cold.alerts()).toEqual([])
    await cold.send()
    await cold.mine(1)
    expect(await cold.state(transfer.id)).toBe('mined')
    expect(await cold.custody(COLD, 'ETH')).toBe(18n * E18)
    await equal()
    await cold.mine(4)
    expect(await cold.state(transfer.id)).toBe('final')
    const fee = await cold.platform('ETH', 'network-costs')
    expect(fee).toBeLessThan(0n)
    expect(await cold.custody(EVM_HOT, 'ETH')).toBe(12n * E18 + fee)
    // Money that is put elsewhere is still ours; only the fee has gone.
    expect(await cold.platform('ETH', 'custody:ETHEREUM')).toBe(before - fee)
    expect(await cold.platform('ETH', 'capital')).toBe(30n * E18)
    expect(await chainHolds(COLD)).toBe(18n * E18)
    await equal()
    await cold.offer()
    expect(await cold.transfers()).toEqual(['final'])
  })

  test('of a token likewise, beside one of the coin; nonces follow each other', async () => {
    await fund(30n * E18, 9_000_000_000n)
    await cold.offer()
    expect(await cold.transfers()).toEqual(['offered', 'offered'])
    const { rows } = await sql<{
      id: string
      unsigned: string
    }>`select o.id, a.unsigned from outgoing o join outgoing_attempts a on a.outgoing_id = o.id order by o.nonce`.execute(
      cold.db,
    )
    for (const { id, unsigned } of rows) expect(await cold.take(id, await signed(unsigned))).toHaveProperty('hash')
    await cold.send()
    await cold.mine(5)
    expect(await cold.transfers()).toEqual(['final', 'final'])
    expect(await cold.custody(COLD, 'USDT')).toBe(6_000n * 10n ** 6n)
    await equal()
  })

  test('nothing leaves within the slack, for waiting withdrawals, or where the signer knows another address', async () => {
    await fund(21n * E18)
    await cold.offer()
    expect(await cold.transfers()).toEqual([])
    await fund(9n * E18)
    const id = await cold.request('ETH', await someone(), 15n * E18)
    await cold.offer()
    expect(await cold.transfers()).toEqual([])
    await sql`delete from withdrawals where id = ${id}`.execute(cold.db)
    cold.signersCold.set('ETH', EVM_HOT)
    await cold.offer()
    expect(await cold.transfers()).toEqual([])
    expect(await cold.alerts()).toEqual(['cold-impossible'])
    cold.signersCold.set('ETH', COLD)
    await cold.offer()
    expect(await cold.transfers()).toEqual(['offered'])
    expect(await cold.alerts()).toEqual(['cold-offered'])
  })
})

describe('a transaction that comes back', () => {
  test('is taken only when it is that transaction, signed by the hot key', async () => {
    await fund(30n * E18)
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    const good = await signed(attempt.unsigned)
    const parsed = parseUnsigned(Buffer.from(attempt.unsigned.slice(2), 'hex'))
    if (isRefused(parsed)) throw new Error(parsed.message)
    const altered = async (more: Partial<typeof parsed>): Promise<Uint8Array> =>
      signed(toHex(serializeUnsigned({ ...parsed, ...more } as never)))
    const forged = Buffer.from(
      (await vault.signTransaction(parseTransaction(attempt.unsigned as `0x${string}`) as never)).slice(2),
      'hex',
    )
    const wrong: [string, Uint8Array][] = [
      ['to elsewhere', await altered({ to: EVM_HOT as `0x${string}` })],
      ['another amount', await altered({ value: parsed.value + 1n })],
      ['another nonce', await altered({ nonce: parsed.nonce + 1n })],
      ['another chain', await altered({ chainId: 1n })],
      ['another price', await altered({ maxFeePerGas: 10n ** 12n } as never)],
      ['another key', forged],
      ['unsigned', Buffer.from(attempt.unsigned.slice(2), 'hex')],
      ['nothing', new Uint8Array()],
    ]
    for (const [name, bytes] of wrong)
      expect(await cold.take(transfer.id, bytes), name).toMatchObject({ refused: 'not-it' })
    for (let at = 0; at < good.length; at += 1) {
      const changed = Uint8Array.from(good)
      changed[at]! ^= 1 << (at % 8)
      expect(await cold.take(transfer.id, changed), `byte ${at}`).toMatchObject({ refused: 'not-it' })
    }
    expect(await cold.state(transfer.id)).toBe('offered')
    expect(await cold.take(transfer.id, good)).toEqual({ hash: (parseSigned(good) as { hash: string }).hash })
    expect(await cold.take(transfer.id, good)).toMatchObject({ refused: 'not-open' })
    expect(await cold.take('00000000-0000-7000-8000-000000000000', good)).toMatchObject({ refused: 'unknown' })
  })

  test('too late, or after it was cancelled, is refused, and another is offered with figures of then', async () => {
    await fund(30n * E18)
    await cold.offer()
    const first = await cold.open()
    cold.later(61 * MINUTE)
    expect(await cold.take(first.transfer.id, await signed(first.attempt.unsigned))).toMatchObject({
      refused: 'expired',
    })
    await fund(E18)
    await cold.offer()
    expect(await cold.transfers()).toEqual(['expired', 'offered'])
    const second = await cold.open()
    expect(second.transfer.units).toBe(19n * E18)
    expect(second.outgoing.nonce).toBe(first.outgoing.nonce)
    expect(await cold.cancel(second.transfer.id)).toEqual({ mayBeMinedUntil: null })
    expect(await cold.take(second.transfer.id, await signed(second.attempt.unsigned))).toMatchObject({
      refused: 'not-open',
    })
    expect(await cold.cancel(second.transfer.id)).toBeUndefined()
    await cold.offer()
    expect(await cold.transfers()).toEqual(['expired', 'cancelled', 'offered'])
    const to = await someone()
    const id = await cold.request('ETH', to, E18)
    await cold.pay()
    await cold.send()
    await cold.mine(5)
    expect(await cold.withdrawal(id)).toBe('settled')
    await equal()
  })

  test('is refused when withdrawals need the money by now', async () => {
    await fund(30n * E18)
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    await cold.request('ETH', await someone(), 20n * E18)
    expect(await cold.take(transfer.id, await signed(attempt.unsigned))).toMatchObject({ refused: 'spent' })
  })
})

describe('payouts', () => {
  test('never wait for a signature: they take its nonce, and the transfer is offered anew', async () => {
    await fund(30n * E18)
    await cold.offer()
    const first = await cold.open()
    const id = await cold.request('ETH', await someone(), E18)
    await cold.pay()
    await cold.send()
    await cold.mine(5)
    expect(await cold.withdrawal(id)).toBe('settled')
    expect(await cold.take(first.transfer.id, await signed(first.attempt.unsigned))).toMatchObject({
      refused: 'not-open',
    })
    await cold.offer()
    expect(await cold.transfers()).toEqual(['overtaken', 'offered'])
    const second = await cold.open()
    // Where payouts are made, the next ones find a nonce before it.
    expect(second.outgoing.nonce).toBe(first.outgoing.nonce! + 2)
    expect(await cold.alerts()).toEqual(['cold-offered'])
  })

  test('go before a signed transfer and behind it, without a gap; a missing nonce is filled', async () => {
    await fund(40n * E18)
    const paid = [await cold.request('ETH', await someone(), E18), await cold.request('ETH', await someone(), E18)]
    await cold.pay()
    await cold.send()
    await cold.mine(1)
    await cold.offer()
    const { transfer, attempt, outgoing } = await cold.open()
    expect(outgoing.nonce).toBe(4)
    await cold.take(transfer.id, await signed(attempt.unsigned))
    paid.push(await cold.request('ETH', await someone(), E18))
    await cold.pay()
    await cold.send()
    await cold.mine(1)
    expect(await cold.state(transfer.id)).not.toBe('mined')
    cold.later(11 * MINUTE)
    await cold.offer()
    await cold.send()
    await cold.mine(1)
    expect(await cold.state(transfer.id)).toBe('mined')
    paid.push(await cold.request('ETH', await someone(), E18))
    await cold.pay()
    await cold.send()
    await cold.mine(5)
    expect(await Promise.all(paid.map((id) => cold.withdrawal(id)))).toEqual([
      'settled',
      'settled',
      'settled',
      'settled',
    ])
    const { rows } = await sql<{
      nonce: number
      purpose: string
    }>`select nonce, purpose from outgoing where state = 'final' order by nonce`.execute(cold.db)
    expect(rows.map(({ nonce, purpose }) => `${nonce} ${purpose}`)).toEqual([
      '0 payout',
      '1 payout',
      '2 payout',
      '3 filler',
      '4 cold',
      '5 payout',
    ])
    await equal()
  })

  test('a signed transfer that is stuck is signed again at a higher price by the signer, to the same address', async () => {
    await fund(30n * E18)
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    await cold.take(transfer.id, await signed(attempt.unsigned))
    await cold.send()
    expect(await cold.state(transfer.id)).toBe('broadcast')
    cold.later(11 * MINUTE)
    await cold.send()
    const { rows } = await sql<{
      count: number
    }>`select count(*) as count from outgoing_attempts where outgoing_id = ${transfer.id} and raw is not null`.execute(
      cold.db,
    )
    expect(rows[0]!.count).toBe(2)
    await cold.mine(5)
    expect(await cold.state(transfer.id)).toBe('final')
    expect(await chainHolds(COLD)).toBe(18n * E18)
    await equal()
  })
})

describe('a worker that dies', () => {
  test.each(['cold-planned', 'cold-ending'])(
    'at %s leaves nothing behind that the next one does not carry on',
    async (point) => {
      await fund(30n * E18)
      const die = (name: string): Promise<void> =>
        name === point ? Promise.reject(new Error('killed')) : Promise.resolve()
      if (point === 'cold-ending') await cold.offer()
      const before = await cold.transfers()
      cold.later(61 * MINUTE)
      cold.before.pause = die
      await expect(cold.offer()).rejects.toThrow('killed')
      expect(await cold.transfers()).toEqual(before)
      cold.before.pause = async () => {}
      await cold.offer()
      await cold.offer()
      expect(await cold.transfers()).toEqual([...before.map(() => 'expired'), 'offered'])
    },
  )

  test('at broadcast-not-recorded of a signed transfer leaves it to the next one, which hands over the same bytes', async () => {
    await fund(30n * E18)
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    await cold.take(transfer.id, await signed(attempt.unsigned))
    let isKilled = false
    cold.before.pause = async (name) => {
      if (name !== 'broadcast-not-recorded') return
      isKilled = true
      throw new Error('killed')
    }
    await cold.send().catch(() => {})
    cold.before.pause = async () => {}
    expect(isKilled).toBe(true)
    cold.later(MINUTE)
    await cold.send()
    await cold.mine(5)
    expect(await cold.state(transfer.id)).toBe('final')
    expect(await chainHolds(COLD)).toBe(18n * E18)
    await equal()
  })

  test('many workers at once hand out one transfer for each asset', async () => {
    await fund(30n * E18, 9_000_000_000n)
    await Promise.all(Array.from({ length: 6 }, () => cold.offer()))
    expect(await cold.transfers()).toEqual(['offered', 'offered'])
    const { rows } = await sql<{ nonce: number }>`select nonce from outgoing order by nonce`.execute(cold.db)
    expect(new Set(rows.map(({ nonce }) => nonce)).size).toBe(2)
  })
})

describe('blocks that are lost', () => {
  test('take the transfer and its fee back; the same bytes are mined again', async () => {
    await fund(30n * E18)
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    await cold.take(transfer.id, await signed(attempt.unsigned))
    await cold.send()
    await cold.mine(1)
    expect(await cold.custody(COLD, 'ETH')).toBe(18n * E18)
    await node.reorg(1, [])
    await cold.catchUp()
    if ((await cold.state(transfer.id)) !== 'mined') {
      expect(await cold.custody(COLD, 'ETH')).toBe(0n)
      expect(await cold.platform('ETH', 'network-costs')).toBe(0n)
      await cold.send()
      await cold.mine(1)
    }
    await cold.mine(4)
    expect(await cold.state(transfer.id)).toBe('final')
    expect(await cold.custody(COLD, 'ETH')).toBe(18n * E18)
    await equal()
  })
})
