import { afterAll, beforeAll, expect, test } from 'vitest'
import { base58Of, tokenAddress } from './index.ts'
import { post, send, sendAndRead, startTest, textOf, tokenTransfer, walletOf } from './test-tronweb.ts'
import type { TestChain, Wallet } from './test-tronweb.ts'

const usdt = base58Of(tokenAddress('USDT'))
const dayMs = 86_400_000
const trx = 1_000_000

let chain: TestChain
let staker: Wallet

beforeAll(async () => {
  chain = await startTest()
})
afterAll(() => chain.stop())

const fresh = async (): Promise<Wallet> => walletOf(chain, '20000')
const builder = () => chain.web.transactionBuilder
const resources = async (wallet: Wallet) =>
  (await chain.web.trx.getAccountResources(wallet.address)) as unknown as Record<string, number>
const refusal = async (built: Parameters<typeof send>[1], wallet: Wallet) =>
  textOf((await send(chain, built, wallet.key)).message).replace('Contract validate error : ', '')
const freeze = async (wallet: Wallet, sun: number, resource: 'ENERGY' | 'BANDWIDTH') =>
  sendAndRead(chain, await builder().freezeBalanceV2(sun, resource, wallet.hex), wallet.key)

test('stake gives energy, a transfer uses it instead of TRX, and it comes back within a day', async () => {
  staker = await fresh()
  await freeze(staker, 10_000 * trx, 'ENERGY')
  expect(await resources(staker)).toMatchObject({ EnergyLimit: 99_999, tronPowerLimit: 10_000 })
  await chain.fund({ ticker: 'USDT', to: staker.address, amount: '10' })
  const receiver = await walletOf(chain)
  const info = await sendAndRead(chain, await tokenTransfer(chain, usdt, staker, receiver.address, 1), staker.key)
  expect(info.receipt).toMatchObject({ energy_usage: 28_474, energy_usage_total: 28_474 })
  expect(info.receipt?.energy_fee).toBeUndefined()
  expect(info.fee).toBeUndefined()
  expect((await resources(staker))['EnergyUsed']).toBeGreaterThan(28_400)
  await chain.advance(dayMs / 2)
  expect(Math.abs(((await resources(staker))['EnergyUsed'] as number) - 28_474 / 2)).toBeLessThan(10)
  await chain.advance(dayMs / 2)
  expect((await resources(staker))['EnergyUsed']).toBeUndefined()
})

test('TRX is burnt for resources that the stake does not cover', async () => {
  const wallet = await fresh()
  await freeze(wallet, 1_000 * trx, 'ENERGY')
  await chain.fund({ ticker: 'USDT', to: wallet.address, amount: '10' })
  const { receipt } = await sendAndRead(
    chain,
    await tokenTransfer(chain, usdt, wallet, (await walletOf(chain)).address, 1),
    wallet.key,
  )
  expect(receipt).toMatchObject({ energy_usage: 9_999, energy_fee: (28_474 - 9_999) * 100 })
})

test('stake for bandwidth is used before the free bytes', async () => {
  const wallet = await fresh()
  await freeze(wallet, 1_000 * trx, 'BANDWIDTH')
  expect(await resources(wallet)).toMatchObject({ NetLimit: 1_599 })
  const before = (await resources(wallet))['freeNetUsed'] as number
  await sendAndRead(chain, await builder().sendTrx(staker.address, 3 * trx, wallet.hex), wallet.key)
  const after = await resources(wallet)
  expect(after['NetUsed']).toBe(268)
  expect(after['freeNetUsed']).toBeLessThanOrEqual(before)
  const account = await post(chain.url, '/wallet/getaccount', { address: wallet.hex })
  expect(account).toMatchObject({ frozenV2: [{ amount: 1_000 * trx }, { type: 'ENERGY' }, { type: 'TRON_POWER' }] })
})

test("lent energy pays for another account's transfer; taken back, its use comes along", async () => {
  const [lender, borrower] = [await fresh(), await walletOf(chain, '100')]
  await freeze(lender, 10_000 * trx, 'ENERGY')
  await chain.fund({ ticker: 'USDT', to: borrower.address, amount: '10' })
  expect(await post(chain.url, '/wallet/getcandelegatedmaxsize', { owner_address: lender.hex, type: 1 })).toEqual({
    max_size: 10_000 * trx,
  })
  await sendAndRead(
    chain,
    await builder().delegateResource(6_000 * trx, borrower.hex, 'ENERGY', lender.hex),
    lender.key,
  )
  expect((await resources(borrower))['EnergyLimit']).toBeGreaterThan(59_990)
  expect(
    await post(chain.url, '/wallet/getdelegatedresourcev2', { fromAddress: lender.hex, toAddress: borrower.hex }),
  ).toEqual({
    delegatedResource: [{ from: lender.hex, to: borrower.hex, frozen_balance_for_energy: 6_000 * trx }],
  })
  expect(await chain.web.trx.getDelegatedResourceAccountIndexV2(lender.address, { confirmed: false })).toEqual({
    account: lender.hex,
    toAccounts: [borrower.hex],
  })
  expect(await chain.web.trx.getDelegatedResourceAccountIndexV2(borrower.address, { confirmed: false })).toEqual({
    account: borrower.hex,
    fromAccounts: [lender.hex],
  })

  const before = await chain.web.trx.getUnconfirmedBalance(borrower.address)
  const { receipt } = await sendAndRead(
    chain,
    await tokenTransfer(chain, usdt, borrower, (await walletOf(chain)).address, 1),
    borrower.key,
  )
  expect(receipt).toMatchObject({ energy_usage: 28_474 })
  expect(await chain.web.trx.getUnconfirmedBalance(borrower.address)).toBe(before)

  await sendAndRead(
    chain,
    await builder().undelegateResource(6_000 * trx, borrower.hex, 'ENERGY', lender.hex),
    lender.key,
  )
  const without = await resources(borrower)
  expect([without['EnergyLimit'], without['EnergyUsed']]).toEqual([undefined, undefined])
  const back = await resources(lender)
  expect(back['EnergyLimit']).toBeGreaterThan(99_990)
  expect(back['EnergyUsed']).toBeGreaterThan(28_400)
  expect(
    await post(chain.url, '/wallet/getdelegatedresourcev2', { fromAddress: lender.hex, toAddress: borrower.hex }),
  ).toEqual({})
  expect(await chain.web.trx.getDelegatedResourceAccountIndexV2(lender.address, { confirmed: false })).toEqual({
    account: lender.hex,
  })
})

test('used energy cannot be lent, nor more than the stake, nor to an unknown account', async () => {
  const wallet = await fresh()
  const unused = await walletOf(chain)
  await freeze(wallet, 5_000 * trx, 'ENERGY')
  const build = (sun: number, to: Wallet) => builder().delegateResource(sun, to.hex, 'ENERGY', wallet.hex)
  expect(await refusal(await build(5_001 * trx, staker), wallet)).toBe(
    'delegateBalance must be less than available FreezeEnergyV2 balance',
  )
  expect(await refusal(await build(trx, unused), wallet)).toBe(`Account[${unused.address}] does not exist`)
  await chain.fund({ ticker: 'USDT', to: wallet.address, amount: '10' })
  await sendAndRead(chain, await tokenTransfer(chain, usdt, wallet, unused.address, 1), wallet.key)
  const { max_size: most } = (await chain.web.trx.getCanDelegatedMaxSize(wallet.address, 'ENERGY', {
    confirmed: false,
  })) as unknown as { max_size: number }
  expect(most).toBeGreaterThan(2_150 * trx)
  expect(most).toBeLessThan(2_154 * trx)
  expect(await refusal(await build(most + trx, staker), wallet)).toBe(
    'delegateBalance must be less than available FreezeEnergyV2 balance',
  )
  await sendAndRead(chain, await build(most, staker), wallet.key)
})

test('a locked loan comes back only when its time is over', async () => {
  const [lender, borrower] = [await fresh(), await walletOf(chain, '1')]
  await freeze(lender, 3_000 * trx, 'ENERGY')
  await sendAndRead(
    chain,
    await builder().delegateResource(2_000 * trx, borrower.hex, 'ENERGY', lender.hex, true, 28_800),
    lender.key,
  )
  const loan = (await post(chain.url, '/wallet/getdelegatedresourcev2', {
    fromAddress: lender.hex,
    toAddress: borrower.hex,
  })) as { delegatedResource: { expire_time_for_energy: number }[] }
  expect((loan.delegatedResource[0]?.expire_time_for_energy ?? 0) - chain.status().timestamp).toBeGreaterThan(
    dayMs - 60_000,
  )
  const back = () => builder().undelegateResource(2_000 * trx, borrower.hex, 'ENERGY', lender.hex)
  expect(await refusal(await back(), lender)).toBe(
    'insufficient delegateFrozenBalance(Energy), request=2000000000, unlock_balance=0',
  )
  expect(
    await refusal(await builder().delegateResource(100 * trx, borrower.hex, 'ENERGY', lender.hex, true, 100), lender),
  ).toMatch(/^The lock period for ENERGY this time cannot be less than the remaining time/)
  await chain.advance(dayMs + 3_000)
  await sendAndRead(chain, await back(), lender.key)
  expect((await resources(borrower))['EnergyLimit']).toBeUndefined()
})

test('unfreezing waits 14 days', async () => {
  const wallet = await fresh()
  await freeze(wallet, 4_000 * trx, 'ENERGY')
  const balance = await chain.web.trx.getUnconfirmedBalance(wallet.address)
  await sendAndRead(chain, await builder().unfreezeBalanceV2(1_500 * trx, 'ENERGY', wallet.hex), wallet.key)
  expect(await chain.web.trx.getAvailableUnfreezeCount(wallet.address, { confirmed: false })).toEqual({ count: 31 })
  const withdraw = () => builder().withdrawExpireUnfreeze(wallet.hex)
  expect(await refusal(await withdraw(), wallet)).toBe('no unFreeze balance to withdraw ')
  expect((await resources(wallet))['EnergyLimit']).toBeLessThan(25_000)
  await chain.advance(14 * dayMs)
  await chain.advance(3_000)
  expect(
    await chain.web.trx.getCanWithdrawUnfreezeAmount(wallet.address, chain.status().timestamp, { confirmed: false }),
  ).toEqual({ amount: 1_500 * trx })
  const info = await sendAndRead(chain, await withdraw(), wallet.key)
  expect(info.withdraw_expire_amount).toBe(1_500 * trx)
  expect(await chain.web.trx.getUnconfirmedBalance(wallet.address)).toBe(balance + 1_500 * trx)
})

test("stake is refused in java-tron's words", async () => {
  const wallet = await walletOf(chain, '5')
  expect(await refusal(await builder().freezeBalanceV2(6 * trx, 'ENERGY', wallet.hex), wallet)).toBe(
    'frozenBalance must be less than accountBalance',
  )
  expect(await refusal(await builder().freezeBalanceV2(1, 'ENERGY', wallet.hex), wallet)).toBe(
    'frozenBalance must be more than 1TRX',
  )
  expect(await refusal(await builder().unfreezeBalanceV2(trx, 'ENERGY', wallet.hex), wallet)).toBe(
    'no frozenBalance(Energy)',
  )
  expect(await refusal(await builder().undelegateResource(trx, staker.hex, 'ENERGY', wallet.hex), wallet)).toBe(
    'delegated Resource does not exist',
  )
  expect(
    await post(chain.url, '/wallet/freezebalancev2', {
      owner_address: wallet.address,
      frozen_balance: 1,
      resource: 'ENERGY',
      visible: true,
    }),
  ).toEqual({
    Error: 'class org.tron.core.exception.ContractValidateException : frozenBalance must be more than 1TRX',
  })
})

test('the node builds the same bytes for stake and loans as tronweb', async () => {
  const [lender, borrower] = [await fresh(), await walletOf(chain, '1')]
  await freeze(lender, 300 * trx, 'ENERGY')
  const body = {
    owner_address: lender.hex,
    receiver_address: borrower.hex,
    balance: 200 * trx,
    resource: 'ENERGY',
    lock: true,
    lock_period: 100,
  }
  const byNode = (await post(chain.url, '/wallet/delegateresource', body)) as {
    txID: string
    raw_data: Record<string, string>
  }
  const { ref_block_bytes, ref_block_hash, expiration, timestamp } = byNode.raw_data
  const byTronweb = await builder().delegateResource(200 * trx, borrower.hex, 'ENERGY', lender.hex, true, 100, {
    blockHeader: { ref_block_bytes, ref_block_hash, expiration, timestamp } as never,
  })
  expect(byNode.txID).toBe(byTronweb.txID)
})
