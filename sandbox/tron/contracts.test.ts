import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArtifact } from '../tokens/artifact.ts'
import { base58Of, deployer, faucet, tokenAddress } from './index.ts'
import { post, send, sendAndRead, startTest, textOf, tokenTransfer, walletOf, webOf } from './test-tronweb.ts'
import type { TestChain, Wallet } from './test-tronweb.ts'

const usdt = base58Of(tokenAddress('USDT'))
const usdc = base58Of(tokenAddress('USDC'))
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let chain: TestChain
let holder: Wallet

beforeAll(async () => {
  chain = await startTest()
  holder = await walletOf(chain, '10000')
  await chain.fund({ ticker: 'USDT', to: holder.address, amount: '1000' })
  await chain.fund({ ticker: 'USDC', to: holder.address, amount: '1000' })
})
afterAll(() => chain.stop())

const transfer = async (token: string, to: string, units: number, feeLimit?: number) =>
  sendAndRead(chain, await tokenTransfer(chain, token, holder, to, units, feeLimit), holder.key)

const word = (hex: string) => hex.padStart(64, '0')

test('a transfer to a new holder takes 15,000 more energy than to an old one', async () => {
  const receiver = await walletOf(chain)
  const first = await transfer(usdc, receiver.address, 1_000_000)
  expect(first.receipt).toMatchObject({
    result: 'SUCCESS',
    energy_usage_total: 27_926,
    energy_fee: 2_792_600,
    net_usage: 345,
  })
  const second = await transfer(usdc, receiver.address, 1_000_000)
  expect(second.receipt?.energy_usage_total).toBe(12_926)
  expect(second.fee).toBe(1_292_600 + (second.receipt?.net_fee ?? 0))
  // Tether's checks cost a little more.
  expect((await transfer(usdt, receiver.address, 1)).receipt?.energy_usage_total).toBe(28_474)
})

test('logs carry 20 bytes, and base58 when asked for', async () => {
  const receiver = await walletOf(chain)
  const info = await transfer(usdt, receiver.address, 7)
  const log = { topics: [transferTopic, word(holder.hex.slice(2)), word(receiver.hex.slice(2))], data: word('7') }
  expect(info.log).toEqual([{ address: tokenAddress('USDT').slice(2), ...log }])
  const shown = await post(chain.url, '/wallet/gettransactioninfobyid', { value: info.id, visible: true })
  expect(shown).toMatchObject({ contract_address: usdt, log: [{ address: usdt, ...log }] })
  const inBlock = await post(chain.url, '/wallet/gettransactioninfobyblocknum', { num: info.blockNumber })
  expect(inBlock).toMatchObject([{ id: info.id, log: [{ data: word('7') }] }])
})

test('an address with tokens only is no account', async () => {
  const receiver = await walletOf(chain)
  await transfer(usdt, receiver.address, 9_000_000)
  expect(await post(chain.url, '/wallet/getaccount', { address: receiver.hex })).toEqual({})
  const { code, message } = await send(
    chain,
    await tokenTransfer(chain, usdt, receiver, holder.address, 1),
    receiver.key,
  )
  expect(`${code}: ${textOf(message)}`).toBe(
    `CONTRACT_VALIDATE_ERROR: Contract validate error : account [${receiver.address}] does not exist`,
  )
})

test('a revert is mined, costs its energy and changes nothing else', async () => {
  const receiver = await walletOf(chain)
  const before = await chain.web.trx.getUnconfirmedBalance(holder.address)
  const info = await transfer(usdt, receiver.address, 10 ** 15)
  expect(info).toMatchObject({ result: 'FAILED', receipt: { result: 'REVERT' } })
  expect(textOf(info.resMessage)).toBe('REVERT opcode executed')
  expect(info.log).toBeUndefined()
  expect(info.receipt?.energy_usage_total).toBeLessThan(10_000)
  expect(before - (await chain.web.trx.getUnconfirmedBalance(holder.address))).toBe(info.fee)
  const mined = (await chain.web.trx.getTransaction(info.id)) as unknown as { ret: { contractRet: string }[] }
  expect(mined.ret[0]?.contractRet).toBe('REVERT')
})

test('without energy everything allowed is burnt, and no more than the fee limit', async () => {
  const info = await transfer(usdt, (await walletOf(chain)).address, 5, 1_000_000)
  expect(info).toMatchObject({
    result: 'FAILED',
    receipt: { result: 'OUT_OF_ENERGY', energy_usage_total: 10_000, energy_fee: 1_000_000 },
  })
  const poor = await walletOf(chain, '0.8')
  await transfer(usdt, poor.address, 100)
  const byPoor = await sendAndRead(chain, await tokenTransfer(chain, usdt, poor, holder.address, 1), poor.key)
  expect(byPoor.receipt).toMatchObject({ result: 'OUT_OF_ENERGY', energy_usage_total: 8_000, energy_fee: 800_000 })
  expect(await chain.web.trx.getUnconfirmedBalance(poor.address)).toBe(0)
})

test("fee limits beyond the network's are refused", async () => {
  const built = await tokenTransfer(chain, usdt, holder, faucetAddress, 1, 15_000_000_000)
  const raw = 'transaction' in built ? built.transaction : built
  await chain.setParameters({ getMaxFeeLimit: 1_000_000_000n })
  const { code, message } = await send(chain, raw, holder.key)
  expect(`${code}: ${textOf(message)}`).toBe(
    'CONTRACT_VALIDATE_ERROR: Contract validate error : feeLimit must be >= 0 and <= 1000000000',
  )
  await chain.setParameters({ getMaxFeeLimit: 15_000_000_000n })
})
const faucetAddress = base58Of(faucet.address)

test('the price of energy is a parameter', async () => {
  await chain.setParameters({ getEnergyFee: 420n })
  const { receipt } = await transfer(usdc, faucetAddress, 1)
  expect(receipt?.energy_fee).toBe(12_926 * 420)
  expect(await chain.web.trx.getEnergyPrices()).toMatch(/^0:100,\d+:420$/)
  const parameters = await chain.web.trx.getChainParameters()
  expect(parameters).toContainEqual({ key: 'getEnergyFee', value: 420 })
  await chain.setParameters({ getEnergyFee: 100n })
})

test('a try tells the energy and the answer, and leaves nothing', async () => {
  const receiver = await walletOf(chain)
  const parameters = [
    { type: 'address', value: receiver.address },
    { type: 'uint256', value: 3 },
  ]
  const tried = await chain.web.transactionBuilder.triggerConstantContract(
    usdc,
    'transfer(address,uint256)',
    {},
    parameters,
    holder.hex,
  )
  expect(tried).toMatchObject({ energy_used: 27_926, constant_result: [word('1')] })
  const estimated = await chain.web.transactionBuilder.estimateEnergy(
    usdc,
    'transfer(address,uint256)',
    {},
    parameters,
    holder.hex,
  )
  expect(estimated).toMatchObject({ result: { result: true }, energy_required: 34_908 })
  const balance = await chain.web.transactionBuilder.triggerConstantContract(
    usdc,
    'balanceOf(address)',
    {},
    [{ type: 'address', value: receiver.address }],
    holder.hex,
  )
  expect(balance.constant_result).toEqual([word('0')])
  const reverting = await post(chain.url, '/wallet/triggerconstantcontract', {
    owner_address: receiver.address,
    contract_address: usdc,
    visible: true,
    function_selector: 'transfer(address,uint256)',
    parameter: word(holder.hex.slice(2)) + word('1'),
  })
  expect(reverting).toMatchObject({
    result: { result: true, message: 'REVERT opcode executed' },
    transaction: { ret: [{ ret: 'FAILED' }] },
  })
})

test('tronweb reads a contract by its own description', async () => {
  const contract = await chain.web.contract().at(usdt)
  expect(await contract.methods['symbol']?.().call()).toBe('USDT')
  expect(await contract.methods['decimals']?.().call()).toBe(6n)
  const none = await post(chain.url, '/wallet/triggersmartcontract', {
    owner_address: holder.hex,
    contract_address: holder.hex,
    function_selector: 'a()',
  })
  expect(none).toMatchObject({ result: { code: 'CONTRACT_VALIDATE_ERROR' } })
})

test('the token blacklists an address', async () => {
  const bad = await walletOf(chain, '100')
  await transfer(usdt, bad.address, 1_000_000)
  const owner = webOf(chain.url, deployer.key)
  const built = await owner.transactionBuilder.triggerSmartContract(
    usdt,
    'addBlackList(address)',
    { feeLimit: 1e8 },
    [{ type: 'address', value: bad.address }],
    deployer.address,
  )
  await sendAndRead(chain, built, deployer.key)
  const info = await sendAndRead(chain, await tokenTransfer(chain, usdt, bad, holder.address, 1), bad.key)
  expect(info.receipt?.result).toBe('REVERT')
})

const deploy = async (name: 'Payer' | 'TestToken', parameters: unknown[] = [], more: object = {}) => {
  const { abi, bytecode } = readArtifact(name)
  const built = await chain.web.transactionBuilder.createSmartContract(
    {
      abi: abi as never,
      bytecode: bytecode.slice(2),
      feeLimit: 5e9,
      name,
      originEnergyLimit: 1e7,
      userFeePercentage: 100,
      parameters,
      ...more,
    } as never,
    holder.hex,
  )
  return {
    ...(await sendAndRead(chain, built, holder.key)),
    expected: (built as unknown as { contract_address: string }).contract_address,
  }
}

test('tronweb deploys a contract where it says it will be', async () => {
  const info = await deploy('TestToken', ['Mine', 'MINE', 2])
  expect(info.receipt?.result).toBe('SUCCESS')
  expect(info.contract_address).toBe(info.expected)
  const contract = await chain.web.trx.getContract(info.expected)
  expect(contract).toMatchObject({ name: 'TestToken', origin_address: holder.hex, contract_address: info.expected })
  const runtime = (await chain.web.trx.getContractInfo(info.expected)) as unknown as { runtimecode: string }
  expect(runtime.runtimecode.length).toBeGreaterThan(1_000)
  expect(info.receipt?.energy_usage_total).toBeGreaterThan((runtime.runtimecode.length / 2) * 200)
})

test('a contract pays TRX, and a payment that was undone is marked', async () => {
  const payer = (await deploy('Payer')).expected
  const [one, two] = [await walletOf(chain), await walletOf(chain, '1')]
  const call = async (signature: string, callValue: number) => {
    const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
      payer,
      signature,
      { feeLimit: 1e9, callValue },
      [
        { type: 'address[]', value: [one.address, two.address] },
        { type: 'uint256[]', value: [300, 400] },
      ],
      holder.hex,
    )
    return sendAndRead(chain, transaction, holder.key)
  }
  const paid = await call('pay(address[],uint256[])', 1_000)
  expect(
    paid.internal_transactions?.map(({ caller_address, transferTo_address, callValueInfo, note }) => [
      caller_address,
      transferTo_address,
      callValueInfo[0]?.callValue,
      textOf(note),
    ]),
  ).toEqual([
    [payer, one.hex, 300, 'call'],
    [payer, two.hex, 400, 'call'],
    [payer, holder.hex, 300, 'call'],
  ])
  expect(paid.internal_transactions?.some(({ rejected }) => rejected)).toBe(false)
  expect(await chain.web.trx.getUnconfirmedBalance(one.address)).toBe(300)
  expect(await chain.web.trx.getUnconfirmedBalance(two.address)).toBe(1_000_400)
  expect(paid.receipt?.energy_usage_total).toBeGreaterThan(25_000)

  const reverted = await call('payThenRevert(address[],uint256[])', 1_000)
  expect(reverted.receipt?.result).toBe('REVERT')
  expect(reverted.internal_transactions?.every(({ rejected }) => rejected)).toBe(true)
  const inner = await call('payInRevertedCall(address[],uint256[])', 1_000)
  expect(inner.receipt?.result).toBe('SUCCESS')
  expect(inner.internal_transactions?.map(({ rejected = false }) => rejected)).toEqual([true, true, true, false])
  expect(await chain.web.trx.getUnconfirmedBalance(one.address)).toBe(300)
})

test('a contract that is destroyed leaves its TRX to its heir', async () => {
  const payer = (await deploy('Payer')).expected
  const heir = await walletOf(chain)
  const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
    payer,
    'payByDestruction(address)',
    { feeLimit: 1e9, callValue: 500 },
    [{ type: 'address', value: heir.address }],
    holder.hex,
  )
  const info = await sendAndRead(chain, transaction, holder.key)
  const notes = info.internal_transactions?.map(({ note, callValueInfo }) => [
    textOf(note),
    callValueInfo[0]?.callValue,
  ])
  expect(notes).toEqual([
    ['create', 500],
    ['suicide', 500],
  ])
  const created = info.internal_transactions?.[0]?.transferTo_address as string
  expect(info.internal_transactions?.[1]).toMatchObject({ caller_address: created, transferTo_address: heir.hex })
  expect(await chain.web.trx.getUnconfirmedBalance(heir.address)).toBe(500)
  expect(await post(chain.url, '/wallet/getaccount', { address: created })).toEqual({})
})

test('a call may not send more than its caller has', async () => {
  const payer = (await deploy('Payer')).expected
  const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
    payer,
    'payWithStipend(address,uint256)',
    { feeLimit: 1e9, callValue: 10 ** 15 },
    [
      { type: 'address', value: holder.address },
      { type: 'uint256', value: 1 },
    ],
    holder.hex,
  )
  expect(await send(chain, transaction, holder.key)).toMatchObject({ code: 'CONTRACT_VALIDATE_ERROR' })
})

test('the creator pays its share of the energy from its stake', async () => {
  const token = (await deploy('TestToken', ['Shared', 'SHR', 0], { userFeePercentage: 40 })).expected
  await sendAndRead(
    chain,
    await chain.web.transactionBuilder.freezeBalanceV2(3_000_000_000, 'ENERGY', holder.hex),
    holder.key,
  )
  const user = await walletOf(chain, '100')
  const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
    token,
    'mint(address,uint256)',
    { feeLimit: 1e8 },
    [
      { type: 'address', value: user.address },
      { type: 'uint256', value: 5 },
    ],
    user.hex,
  )
  const { receipt } = await sendAndRead(chain, transaction, user.key)
  const total = receipt?.energy_usage_total ?? 0
  expect(receipt?.origin_energy_usage).toBe(Math.floor(total * 0.6))
  expect(receipt?.energy_fee).toBe((total - Math.floor(total * 0.6)) * 100)
  const left = 29_999 - Math.floor(total * 0.6)
  const later = (await transfer(usdt, user.address, 1)).receipt?.energy_usage ?? 0
  // A block or two has given a little back.
  expect(later - left).toBeGreaterThanOrEqual(0)
  expect(later - left).toBeLessThan(10)
})

test('the node builds a deployment that tronweb signs', async () => {
  const { abi, bytecode } = readArtifact('Payer')
  const body = {
    owner_address: holder.hex,
    abi: JSON.stringify(abi),
    bytecode: bytecode.slice(2),
    name: 'Payer',
    fee_limit: 5e9,
    origin_energy_limit: 1e7,
    consume_user_resource_percent: 100,
  }
  const built = await post(chain.url, '/wallet/deploycontract', body)
  const info = await sendAndRead(chain, built as never, holder.key)
  expect(info).toMatchObject({ contract_address: built['contract_address'], receipt: { result: 'SUCCESS' } })
})

test('an instruction that the EVM library lacks costs the whole limit, and the chain continues', async () => {
  // PUSH the arguments of CALL to address 10, Ethereum's check of a blob, for which the EVM has no library here.
  const bytecode = '6000600060c060006000600a61fffff100'
  const body = {
    owner_address: holder.hex,
    bytecode,
    name: 'Blob',
    fee_limit: 1e7,
    origin_energy_limit: 1e7,
    consume_user_resource_percent: 100,
  }
  const info = await sendAndRead(chain, (await post(chain.url, '/wallet/deploycontract', body)) as never, holder.key)
  expect(info).toMatchObject({ result: 'FAILED', receipt: { result: 'UNKNOWN' } })
  expect((await transfer(usdt, faucetAddress, 1)).receipt?.result).toBe('SUCCESS')
})
