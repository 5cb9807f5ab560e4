import { afterAll, beforeAll, expect, test } from 'vitest'
import { infoOf, post, send, sendAndRead, startTest, textOf, walletOf } from './test-tronweb.ts'
import type { TestChain, Wallet } from './test-tronweb.ts'

let chain: TestChain
let payer: Wallet

beforeAll(async () => {
  chain = await startTest()
  payer = await walletOf(chain, '1000')
})
afterAll(() => chain.stop())

const build = (from: Wallet, to: Wallet, sun: number) => chain.web.transactionBuilder.sendTrx(to.address, sun, from.hex)

test('a new account costs 1.1 TRX, later transfers use 268 bytes of the free ones', async () => {
  const receiver = await walletOf(chain)
  const first = await sendAndRead(chain, await build(payer, receiver, 3_000_000), payer.key)
  expect(first).toMatchObject({ fee: 1_100_000, receipt: { net_fee: 100_000 } })
  const second = await sendAndRead(chain, await build(payer, receiver, 3_000_000), payer.key)
  expect(second.fee).toBeUndefined()
  expect(second.receipt).toEqual({ net_usage: 268 })
  expect(await chain.web.trx.getUnconfirmedBalance(receiver.address)).toBe(6_000_000)
  expect(await chain.web.trx.getUnconfirmedBalance(payer.address)).toBe(1_000_000_000 - 6_000_000 - 1_100_000)
})

test('free bytes run out, TRX are burnt, and a day later they are back', async () => {
  const sender = await walletOf(chain, '100')
  const fees: (number | undefined)[] = []
  for (let sent = 1; sent <= 3; sent++) {
    const { receipt } = await sendAndRead(chain, await build(sender, payer, 3_000_000 + sent), sender.key)
    fees.push(receipt?.net_fee)
  }
  expect(fees).toEqual([undefined, undefined, 268_000])
  await chain.advance(12 * 3_600_000)
  const half = await chain.web.trx.getAccountResources(sender.address)
  // 536 were used, and the half of a day was a block longer.
  expect(half.freeNetUsed).toBe(267)
  await chain.advance(12 * 3_600_000)
  expect((await chain.web.trx.getAccountResources(sender.address)).freeNetUsed).toBeUndefined()
  const { receipt } = await sendAndRead(chain, await build(sender, payer, 3_000_009), sender.key)
  expect(receipt).toEqual({ net_usage: 268 })
})

test('the price of a byte is a parameter', async () => {
  const sender = await walletOf(chain, '10')
  await chain.setParameters({ getFreeNetLimit: 0n, getTransactionFee: 7n })
  const { receipt } = await sendAndRead(chain, await build(sender, payer, 3_000_000), sender.key)
  expect(receipt?.net_fee).toBe(268 * 7)
  expect(await chain.web.trx.getBandwidthPrices()).toMatch(/^0:1000,\d+:7$/)
  await chain.setParameters({ getFreeNetLimit: 600n, getTransactionFee: 1_000n })
})

test('a memo costs a TRX', async () => {
  const sender = await walletOf(chain, '10')
  const plain = await build(sender, payer, 1)
  const withMemo = await chain.web.transactionBuilder.addUpdateData(plain, 'order 7', 'utf8')
  const info = await sendAndRead(chain, withMemo, sender.key)
  expect(info.fee).toBe(1_000_000)
  const mined = await chain.web.trx.getTransaction(info.id)
  expect(textOf((mined.raw_data as { data?: string }).data)).toBe('order 7')
})

test('the ids are those that tronweb computes, and the answers carry them in both forms', async () => {
  const built = await build(payer, await walletOf(chain), 1_500_000)
  const { id } = await sendAndRead(chain, built, payer.key)
  expect(id).toBe(built.txID)
  const hex = await post(chain.url, '/wallet/gettransactionbyid', { value: id })
  const shown = await post(chain.url, '/wallet/gettransactionbyid', { value: id, visible: true })
  expect(hex).toMatchObject({ txID: id, raw_data_hex: built.raw_data_hex, ret: [{ contractRet: 'SUCCESS' }] })
  const value = (answer: Record<string, unknown>) =>
    (answer as { raw_data: { contract: { parameter: { value: { owner_address: string } } }[] } }).raw_data.contract[0]
      ?.parameter.value
  expect(value(hex)?.owner_address).toBe(payer.hex)
  expect(value(shown)?.owner_address).toBe(payer.address)
})

test('nodes build the same bytes as tronweb does', async () => {
  const to = await walletOf(chain)
  const body = { owner_address: payer.hex, to_address: to.hex, amount: 5 }
  const byNode = (await post(chain.url, '/wallet/createtransaction', body)) as {
    raw_data: { timestamp: number }
    txID: string
  }
  const blockHeader = byNode.raw_data as unknown as Record<string, string>
  const { ref_block_bytes, ref_block_hash, expiration, timestamp } = blockHeader
  const byTronweb = await chain.web.transactionBuilder.sendTrx(to.address, 5, payer.hex, {
    blockHeader: { ref_block_bytes, ref_block_hash, expiration, timestamp } as never,
  })
  expect(byTronweb.txID).toBe(byNode.txID)
  const shown = await post(chain.url, '/wallet/createtransaction', {
    owner_address: payer.address,
    to_address: to.address,
    amount: 5,
    visible: true,
  })
  expect(shown).toMatchObject({
    visible: true,
    raw_data: { contract: [{ parameter: { value: { to_address: to.address } } }] },
  })
})

test("a signature must be the owner's", async () => {
  const built = await build(payer, await walletOf(chain), 1)
  const stranger = await walletOf(chain)
  const signed = await chain.web.trx.sign(built, payer.key)
  const [signature] = signed.signature as string[]
  const tampered = {
    ...signed,
    signature: [(signature as string).replace(/^../, (byte) => (byte === '00' ? '01' : '00'))],
  }
  const wrong = await chain.web.trx.sendRawTransaction(tampered)
  expect(wrong).toMatchObject({ code: 'SIGERROR' })
  expect(textOf(wrong.message)).toMatch(/^Validate signature error/)
  const byStranger = {
    ...built,
    signature: [
      chain.web.utils.crypto.ECKeySign(
        chain.web.utils.code.hexStr2byteArray(built.txID),
        chain.web.utils.code.hexStr2byteArray(stranger.key),
      ),
    ],
  }
  expect(await post(chain.url, '/wallet/broadcasttransaction', byStranger)).toMatchObject({ code: 'SIGERROR' })
  expect(await post(chain.url, '/wallet/broadcasttransaction', { ...signed, signature: [] })).toMatchObject({
    code: 'SIGERROR',
  })
  expect(
    await post(chain.url, '/wallet/broadcasttransaction', { ...signed, signature: [signature, signature] }),
  ).toMatchObject({ code: 'SIGERROR' })
})

test('raw_data counts and raw_data_hex does not', async () => {
  const built = await build(payer, await walletOf(chain), 1)
  const signed = await chain.web.trx.sign(built, payer.key)
  const forged = structuredClone(signed) as { raw_data: { contract: { parameter: { value: { amount: number } } }[] } }
  const value = forged.raw_data.contract[0]?.parameter.value
  if (value !== undefined) value.amount = 2
  expect(await post(chain.url, '/wallet/broadcasttransaction', forged)).toMatchObject({ code: 'SIGERROR' })
})

test('the same transaction twice, waiting and mined', async () => {
  await chain.hold(true)
  const built = await build(payer, await walletOf(chain), 1)
  const signed = await chain.web.trx.sign(built, payer.key)
  await chain.web.trx.sendRawTransaction(signed)
  expect(await post(chain.url, '/wallet/gettransactionlistfrompending', {})).toEqual({ txId: [built.txID] })
  expect(await post(chain.url, '/wallet/gettransactionfrompending', { value: built.txID })).toMatchObject({
    txID: built.txID,
  })
  expect(await post(chain.url, '/wallet/gettransactionbyid', { value: built.txID })).toEqual({})
  const again = await chain.web.trx.sendRawTransaction(signed)
  expect([again.code, textOf(again.message)]).toEqual(['DUP_TRANSACTION_ERROR', 'Transaction already exists.'])
  await chain.hold(false)
  await chain.mine()
  const third = await chain.web.trx.sendRawTransaction(signed)
  expect([third.code, textOf(third.message)]).toEqual(['DUP_TRANSACTION_ERROR', 'Dup transaction.'])
})

test('expired, unknown reference, insufficient balance, to oneself, from an unknown account', async () => {
  const to = await walletOf(chain)
  const late = await chain.web.trx.sign(await build(payer, to, 1), payer.key)
  await chain.advance(61_000)
  expect(await chain.web.trx.sendRawTransaction(late)).toMatchObject({
    code: 'TRANSACTION_EXPIRATION_ERROR',
    message: Buffer.from('Transaction expired').toString('hex'),
  })

  const block = await chain.web.trx.getCurrentRefBlockParams()
  const elsewhere = await chain.web.transactionBuilder.sendTrx(to.address, 1, payer.hex, {
    blockHeader: { ...block, ref_block_hash: '0011223344556677' },
  })
  expect(await send(chain, elsewhere, payer.key)).toMatchObject({ code: 'TAPOS_ERROR' })
  const eternal = await chain.web.transactionBuilder.sendTrx(to.address, 1, payer.hex, {
    blockHeader: { ...block, expiration: block.timestamp + 86_400_001 },
  })
  expect(await send(chain, eternal, payer.key)).toMatchObject({ code: 'TRANSACTION_EXPIRATION_ERROR' })

  const refused = async (from: Wallet, receiver: Wallet, sun: number) => {
    const { code, message } = await send(chain, await build(from, receiver, sun), from.key)
    return `${code}: ${textOf(message)}`
  }
  const poor = await walletOf(chain, '1')
  expect(await refused(poor, payer, 1_000_001)).toBe(
    'CONTRACT_VALIDATE_ERROR: Contract validate error : Validate TransferContract error, balance is not sufficient.',
  )
  expect(await refused(poor, to, 1)).toBe(
    'CONTRACT_VALIDATE_ERROR: Contract validate error : Validate TransferContract error, balance is not sufficient.',
  )
  expect(await refused(to, payer, 1)).toBe(
    `CONTRACT_VALIDATE_ERROR: Contract validate error : account [${to.address}] does not exist`,
  )
  const self = await post(chain.url, '/wallet/createtransaction', {
    owner_address: payer.hex,
    to_address: payer.hex,
    amount: 1,
  })
  expect(self).toEqual({
    Error: 'class org.tron.core.exception.ContractValidateException : Cannot transfer TRX to yourself.',
  })
})

test('an account without bandwidth and TRX cannot do anything', async () => {
  const poor = await walletOf(chain, '0.6')
  await sendAndRead(chain, await build(poor, payer, 1), poor.key)
  await sendAndRead(chain, await build(poor, payer, 2), poor.key)
  await sendAndRead(chain, await build(poor, payer, 3), poor.key)
  await sendAndRead(chain, await build(poor, payer, 4), poor.key)
  const last = await send(chain, await build(poor, payer, 5), poor.key)
  expect([last.code, textOf(last.message)]).toEqual(['BANDWITH_ERROR', 'Account resource insufficient error.'])
})

test('bytes are broadcast as well, and refused in plain text', async () => {
  const built = await build(payer, await walletOf(chain), 1)
  const signed = await chain.web.trx.sign(built, payer.key)
  const [signature] = signed.signature as string[]
  const field = (tag: string, hex: string) => `${tag}${varint(hex.length / 2)}${hex}`
  const bytes = field('0a', built.raw_data_hex) + field('12', signature as string)
  const taken = await chain.web.trx.sendHexTransaction(bytes)
  expect(taken).toMatchObject({ result: true, code: 'SUCCESS', txid: built.txID })
  expect(await infoOf(chain, built.txID)).toMatchObject({ id: built.txID })
  expect(await chain.web.trx.sendHexTransaction(bytes)).toMatchObject({
    result: false,
    code: 'DUP_TRANSACTION_ERROR',
    message: 'Dup transaction.',
  })
})

test('an account can be made without sending it anything', async () => {
  const to = await walletOf(chain)
  const info = await sendAndRead(
    chain,
    await chain.web.transactionBuilder.createAccount(to.address, payer.hex),
    payer.key,
  )
  expect(info).toMatchObject({ fee: 1_100_000, receipt: { net_fee: 100_000 } })
  expect(await chain.web.trx.getUnconfirmedAccount(to.address)).toMatchObject({
    address: to.hex,
    create_time: expect.any(Number) as number,
  })
})

const varint = (length: number): string =>
  length < 128
    ? length.toString(16).padStart(2, '0')
    : (128 + (length % 128)).toString(16) +
      Math.floor(length / 128)
        .toString(16)
        .padStart(2, '0')
