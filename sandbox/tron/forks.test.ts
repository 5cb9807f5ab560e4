import { afterEach, beforeEach, expect, test } from 'vitest'
import { base58Of, tokenAddress } from './index.ts'
import { infoOf, post, send, startTest, tokenTransfer, walletOf } from './test-tronweb.ts'
import type { TestChain, Wallet } from './test-tronweb.ts'

const usdt = base58Of(tokenAddress('USDT'))

let chain: TestChain
let payer: Wallet
let receiver: Wallet

beforeEach(async () => {
  chain = await startTest({ automine: false })
  payer = await walletOf(chain, '1000')
  receiver = await walletOf(chain)
  await chain.fund({ ticker: 'USDT', to: payer.address, amount: '50' })
  await chain.mine(2)
})
afterEach(() => chain.stop())

const solid = async () => {
  const block = await chain.web.trx.getConfirmedCurrentBlock()
  return block.block_header.raw_data.number
}
const pay = async (sun: number, from = payer, to = receiver) =>
  (await send(chain, await chain.web.transactionBuilder.sendTrx(to.address, sun, from.hex), from.key)).txid
const balance = (wallet: Wallet) => chain.web.trx.getUnconfirmedBalance(wallet.address)
const pending = async () => (await post(chain.url, '/wallet/gettransactionlistfrompending', {}))['txId']

test('a block is solid 19 blocks later, and /walletsolidity shows no more', async () => {
  const id = await pay(4_000_000)
  expect(await infoOf(chain, id)).toEqual({})
  await chain.mine()
  const { blockNumber = 0 } = await infoOf(chain, id)
  expect(await chain.web.trx.getTransactionInfo(id)).toEqual({})
  await chain.mine(18)
  expect(await solid()).toBe(blockNumber - 1)
  expect(await chain.web.trx.getBalance(receiver.address)).toBe(0)
  await chain.mine()
  expect(await solid()).toBe(blockNumber)
  expect(await chain.web.trx.getTransactionInfo(id)).toMatchObject({ id, blockNumber })
  expect(await chain.web.trx.getBalance(receiver.address)).toBe(4_000_000)
})

test('the solid state stays while the newest state changes', async () => {
  await pay(4_000_000)
  await chain.mine(20)
  await pay(1_000_000)
  await chain.mine()
  expect([await chain.web.trx.getBalance(receiver.address), await balance(receiver)]).toEqual([4_000_000, 5_000_000])
  const balanceOf = (confirmed: boolean) =>
    chain.web.transactionBuilder.triggerConstantContract(
      usdt,
      'balanceOf(address)',
      confirmed ? { confirmed } : {},
      [{ type: 'address', value: receiver.address }],
      payer.hex,
    )
  const tokens = await tokenTransfer(chain, usdt, payer, receiver.address, 9)
  await send(chain, tokens, payer.key)
  await chain.mine()
  const [newest, confirmed] = [await balanceOf(false), await balanceOf(true)].map(({ constant_result }) =>
    Number(`0x${constant_result[0]}`),
  )
  expect([newest, confirmed]).toEqual([9, 0])
})

test('a fork without a payment takes it back, and everything it led to', async () => {
  const id = await pay(4_000_000)
  await send(chain, await tokenTransfer(chain, usdt, payer, receiver.address, 9), payer.key)
  await chain.mine(3)
  const before = await chain.web.trx.getCurrentBlock()
  const { height, forgotten } = await chain.reorg({ depth: 3, without: [], others: 'forgotten' })
  expect(forgotten).toContain(id)
  const after = await chain.web.trx.getCurrentBlock()
  expect([after.block_header.raw_data.number, height]).toEqual([before.block_header.raw_data.number + 1, height])
  expect(await infoOf(chain, id)).toEqual({})
  expect(await balance(receiver)).toBe(0)
  expect(await post(chain.url, '/wallet/getaccount', { address: receiver.hex })).toEqual({})
  expect(await balance(payer)).toBe(1_000_000_000)
  expect(
    await post(chain.url, '/wallet/getblockbyid', { value: (before as unknown as { blockID: string }).blockID }),
  ).toEqual({})
})

test('a fork keeps the others: mined in the new branch, or waiting again', async () => {
  const [mined, lost] = [await pay(3_000_000), await pay(5_000_000)]
  await chain.mine()
  const old = await infoOf(chain, mined)
  const oldBlock = await post(chain.url, '/wallet/getblockbynum', { num: old.blockNumber })
  expect(await chain.reorg({ depth: 1, without: [lost], others: 'mined' })).toMatchObject({
    mined: [mined],
    forgotten: [lost],
    pending: [],
  })
  const now = await infoOf(chain, mined)
  expect(now.blockNumber).toBe(old.blockNumber)
  expect((await post(chain.url, '/wallet/getblockbynum', { num: now.blockNumber }))['blockID']).not.toBe(
    oldBlock['blockID'],
  )
  expect(await balance(receiver)).toBe(3_000_000)

  const third = await pay(1_000_000)
  await chain.mine()
  expect(await chain.reorg({ depth: 1, without: [], others: 'pending' })).toMatchObject({ mined: [], pending: [third] })
  expect(await pending()).toEqual([third])
  await chain.mine()
  expect(await pending()).toBeUndefined()
  expect(await balance(receiver)).toBe(4_000_000)
})

test('a payment that depends on a lost payment is lost with it', async () => {
  const first = await pay(50_000_000)
  await chain.mine()
  const second = await pay(10_000_000, receiver, payer)
  await chain.mine()
  expect(await chain.reorg({ depth: 2, without: [first], others: 'mined' })).toMatchObject({
    mined: [],
    pending: [],
    forgotten: [first, second],
  })
})

test('a payment that refers to an orphaned block can never come back', async () => {
  await chain.mine()
  const built = await chain.web.transactionBuilder.sendTrx(receiver.address, 1_000_000, payer.hex)
  const signed = await chain.web.trx.sign(built, payer.key)
  await chain.reorg({ depth: 1, without: [], others: 'forgotten' })
  expect(await chain.web.trx.sendRawTransaction(signed)).toMatchObject({ code: 'TAPOS_ERROR' })
})

test('solid blocks cannot be replaced', async () => {
  await chain.mine(30)
  await expect(chain.reorg({ depth: 20, without: [], others: 'mined' })).rejects.toThrow('depth: send 1 to 19')
  const solidBefore = await solid()
  await chain.reorg({ depth: 19, without: [], others: 'mined' })
  expect(await solid()).toBe(solidBefore + 1)
})

test('a payment that is held back expires without a word', async () => {
  await chain.hold(true)
  const id = await pay(1_000_000)
  await chain.mine(5)
  expect(await pending()).toEqual([id])
  await chain.advance(70_000)
  expect(await pending()).toBeUndefined()
  await chain.hold(false)
  await chain.mine(3)
  expect(await infoOf(chain, id)).toEqual({})
})

test('waiting payments can be forgotten', async () => {
  const id = await pay(1_000_000)
  expect(await post(chain.url, '/sandbox/forget', { transactions: [id] })).toMatchObject({ pending: [] })
  await chain.mine()
  expect(await infoOf(chain, id)).toEqual({})
})

test('payments are checked against the payments that already wait', async () => {
  const poor = await walletOf(chain, '10')
  await chain.mine()
  const verdicts = []
  for (const sun of [6_000_000, 6_000_001])
    verdicts.push(await send(chain, await chain.web.transactionBuilder.sendTrx(payer.address, sun, poor.hex), poor.key))
  expect(verdicts.map(({ code }) => code)).toEqual([undefined, 'CONTRACT_VALIDATE_ERROR'])
})
