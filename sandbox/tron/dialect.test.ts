/**
 * Unusual answers of java-tron, each by the file that it does it in. The rows are those of the review's
 * table.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArtifact } from '../tokens/artifact.ts'
import { base58Of, tokenAddress } from './index.ts'
import { post, send, sendAndRead, startTest, textOf, tokenTransfer, walletOf } from './test-tronweb.ts'
import type { TestChain, Wallet } from './test-tronweb.ts'

const usdt = tokenAddress('USDT')
let chain: TestChain
let holder: Wallet

beforeAll(async () => {
  chain = await startTest()
  holder = await walletOf(chain, '10000')
  await chain.fund({ ticker: 'USDT', to: holder.address, amount: '1000' })
})
afterAll(() => chain.stop())

const ask = (path: string, body: object): Promise<Record<string, unknown>> =>
  post(chain.url, `/wallet/${path}`, body) as Promise<Record<string, unknown>>
const verdict = ({ result }: Record<string, unknown>): unknown => {
  const { code, message } = result as { code?: string; message?: string }
  return `${code}: ${textOf(message)}`
}
const word = (hex: string): string => hex.padStart(64, '0')
const balanceOf = { contract_address: usdt, function_selector: 'balanceOf(address)', parameter: word(usdt.slice(2)) }
const transferTo = (to: string, units: string): object => ({
  owner_address: holder.hex,
  contract_address: usdt,
  function_selector: 'transfer(address,uint256)',
  parameter: word(to.slice(2)) + word(units),
})

/** A contract with this runtime code. */
const deploy = async (runtime: string): Promise<string> => {
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  const bytecode = `60${size}600c60003960${size}6000f3${runtime}`
  const body = {
    owner_address: holder.hex,
    bytecode,
    name: 'Small',
    fee_limit: 1e9,
    origin_energy_limit: 1e7,
    consume_user_resource_percent: 100,
  }
  const built = await ask('deploycontract', body)
  expect(await sendAndRead(chain, built as never, holder.key)).toMatchObject({ receipt: { result: 'SUCCESS' } })
  return built['contract_address'] as string
}

test('audit D-T4: row T-30: a plain transfer of TRX to a contract is refused, and a call without data is accepted', async () => {
  const wallet = await deploy('00')
  expect(await ask('createtransaction', { owner_address: holder.hex, to_address: wallet, amount: 5 })).toMatchObject({
    Error: expect.stringContaining('Cannot transfer TRX to a smartContract.') as string,
  })
  const call = await ask('triggersmartcontract', {
    owner_address: holder.hex,
    contract_address: wallet,
    call_value: 5,
    fee_limit: 1e8,
  })
  expect(await sendAndRead(chain, call['transaction'] as never, holder.key)).toMatchObject({
    receipt: { result: 'SUCCESS' },
  })
  expect(await ask('getaccount', { address: wallet })).toMatchObject({ balance: 5 })
  await chain.setParameters({ getForbidTransferToContract: 0n })
  expect(await ask('createtransaction', { owner_address: holder.hex, to_address: wallet, amount: 5 })).toHaveProperty(
    'txID',
  )
  await chain.setParameters({ getForbidTransferToContract: 1n })
  await chain.fund({ ticker: 'TRX', to: base58Of(wallet), amount: '1' })
  expect(await ask('getaccount', { address: wallet })).toMatchObject({ balance: 1_000_005 })
})

test('audit D-T5: rows T-14, T-15 and T-16: settings of the node switch constant calls and estimates on and off', async () => {
  const unused = await walletOf(chain)
  expect(
    verdict(
      await ask('triggerconstantcontract', { ...balanceOf, contract_address: unused.hex, owner_address: holder.hex }),
    ),
  ).toBe('CONTRACT_VALIDATE_ERROR: Smart contract is not exist.')
  await chain.setNode({ supportConstant: false })
  expect(verdict(await ask('triggerconstantcontract', { ...balanceOf, owner_address: holder.hex }))).toBe(
    'CONTRACT_VALIDATE_ERROR: this node does not support constant',
  )
  expect(verdict(await ask('estimateenergy', { ...balanceOf, owner_address: holder.hex }))).toContain(
    'so estimate energy cannot work',
  )
  expect(await ask('getnodeinfo', {})).toMatchObject({ configNodeInfo: { supportConstant: false } })
  await chain.setNode({ supportConstant: true, estimateEnergy: false })
  expect(verdict(await ask('estimateenergy', { ...balanceOf, owner_address: holder.hex }))).toBe(
    'CONTRACT_VALIDATE_ERROR: this node does not support estimate energy',
  )
  await chain.setNode({ estimateEnergy: true })
})

test.each([
  ['fe', 'IllegalOperationException'],
  ['600356', 'BadJumpDestinationException'],
  ['50', 'StackTooSmallException'],
])('audit D-T11: row T-18: code %s fails as %s, with nothing else in the answer', async (code, name) => {
  const answer = await ask('triggerconstantcontract', {
    owner_address: holder.hex,
    contract_address: await deploy(code),
    data: '',
  })
  expect(Object.keys(answer)).toEqual(['result'])
  expect(verdict(answer)).toContain(`OTHER_ERROR: class org.tron.core.vm.program.Program$${name} : `)
})

test('row T-17: a REVERT is an answer, and a call with more TRX than the caller has is refused', async () => {
  const reverting = await ask('triggerconstantcontract', transferTo(usdt, 'ffffffffff'))
  expect(reverting).toMatchObject({ result: { result: true }, transaction: { ret: [{ ret: 'FAILED' }] } })
  expect(textOf((reverting['result'] as { message: string }).message)).toBe('REVERT opcode executed')
  expect(verdict(await ask('estimateenergy', transferTo(usdt, 'ffffffffff')))).toBe(
    'CONTRACT_EXE_ERROR: REVERT opcode executed',
  )
  const poor = { owner_address: holder.hex, contract_address: await deploy('00'), data: '', call_value: 10 ** 15 }
  expect(verdict(await ask('triggerconstantcontract', poor))).toBe(
    'CONTRACT_VALIDATE_ERROR: Validate InternalTransfer error, balance is not sufficient.',
  )
})

test('audit D-T9: row T-20: an estimate is up to one TRX of fee above the cost of the call', async () => {
  const unused = await walletOf(chain)
  const used = Number((await ask('triggerconstantcontract', transferTo(unused.hex, '1')))['energy_used'])
  const required = Number((await ask('estimateenergy', transferTo(unused.hex, '1')))['energy_required'])
  expect(required).toBeGreaterThan(used)
  expect((required - used) * 100).toBeLessThanOrEqual(1_000_000)
})

test('rows T-9, T-12, T-32 and T-34: infos of block 0, a lite node, a rate limit, and a path that is not there', async () => {
  expect(await ask('gettransactioninfobyblocknum', { num: 0 })).toEqual({})
  expect(await ask('gettransactioninfobyblocknum', { num: 10 ** 9 })).toEqual([])
  const bare = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`${chain.url}/${path}`, { method: 'POST', body: '{"num":1,"id_or_num":"1"}' })
    return [response.status, await response.text()]
  }
  await chain.setNode({ lite: true })
  expect(await bare('wallet/getblockbynum')).toEqual([200, 'this API is closed because this node is a lite fullnode'])
  expect(await bare('walletsolidity/gettransactioninfobyid')).toEqual([
    200,
    'this API is closed because this node is a lite fullnode',
  ])
  expect((await bare('wallet/getblock'))[1]).toContain('blockID')
  await chain.setNode({ lite: false, limited: true })
  expect(await bare('wallet/getblock')).toEqual([
    200,
    '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}',
  ])
  await chain.setNode({ limited: false })
  expect(await bare('wallet/gettypo')).toEqual([404, expect.stringContaining('<html>')])
})

test('rows T-23, T-25 and T-26: a node that accepts no transactions now, and one that remembers a refused transaction', async () => {
  const built = await tokenTransfer(chain, base58Of(usdt), holder, base58Of(usdt), 1)
  for (const code of [
    'SERVER_BUSY',
    'NO_CONNECTION',
    'NOT_ENOUGH_EFFECTIVE_CONNECTION',
    'BLOCK_UNSOLIDIFIED',
  ] as const) {
    await chain.setNode({ refuses: code })
    expect(await send(chain, built, holder.key)).toMatchObject({ code })
  }
  await chain.setNode({ refuses: '', trxCache: true })
  const poor = await walletOf(chain, '1')
  const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
    base58Of(usdt),
    'transfer(address,uint256)',
    { feeLimit: 1e8 },
    [
      { type: 'address', value: holder.address },
      { type: 'uint256', value: 1 },
    ],
    poor.hex,
  )
  await chain.setParameters({ getMaxFeeLimit: 1_000_000n })
  expect(await send(chain, transaction, poor.key)).toMatchObject({ code: 'CONTRACT_VALIDATE_ERROR' })
  expect(await send(chain, transaction, poor.key)).toMatchObject({ code: 'DUP_TRANSACTION_ERROR' })
  await chain.setParameters({ getMaxFeeLimit: 15_000_000_000n })
  await chain.setNode({ trxCache: false })
  expect(await post(chain.url, '/sandbox/node', { refuses: 'NOTHING_KNOWN' })).toMatchObject({ code: 100 })
  expect(await post(chain.url, '/sandbox/node', { trxCache: 1 })).toMatchObject({ code: 100 })
})

test('row T-1: without vm.saveInternalTx, payments by contracts are not listed', async () => {
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
  const built = await ask('deploycontract', body)
  await sendAndRead(chain, built as never, holder.key)
  const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
    built['contract_address'] as string,
    'pay(address[],uint256[])',
    { feeLimit: 1e9, callValue: 300 },
    [
      { type: 'address[]', value: [base58Of(usdt)] },
      { type: 'uint256[]', value: [0] },
    ],
    holder.hex,
  )
  const { id, internal_transactions: listed } = await sendAndRead(chain, transaction, holder.key)
  expect(listed?.length).toBeGreaterThan(0)
  await chain.setNode({ saveInternalTx: false })
  expect(await ask('gettransactioninfobyid', { value: id })).not.toHaveProperty('internal_transactions')
  await chain.setNode({ saveInternalTx: true })
})

test('audit D-T10: row T-38: the dynamic factor of contracts makes the same call dearer, and too low a limit is burnt whole', async () => {
  const unused = await walletOf(chain)
  const used = async (): Promise<[number, number]> => {
    const { energy_used: energy, energy_penalty: penalty = 0 } = await ask(
      'triggerconstantcontract',
      transferTo(unused.hex, '1'),
    )
    return [Number(energy), Number(penalty)]
  }
  const [plain, none] = await used()
  expect(none).toBe(0)
  await chain.setParameters({ getAllowDynamicEnergy: 1n, getDynamicEnergyMaxFactor: 2_000n })
  const dearer = Math.floor((plain * 12_000) / 10_000)
  expect(await used()).toEqual([dearer, dearer - plain])
  const low = await sendAndRead(
    chain,
    await tokenTransfer(chain, base58Of(usdt), holder, unused.address, 1, plain * 100),
    holder.key,
  )
  expect(low.receipt).toMatchObject({ result: 'OUT_OF_ENERGY', energy_usage_total: plain })
  const enough = await sendAndRead(
    chain,
    await tokenTransfer(chain, base58Of(usdt), holder, unused.address, 1, dearer * 100),
    holder.key,
  )
  expect(enough.receipt).toMatchObject({ result: 'SUCCESS', energy_usage_total: dearer })
  await chain.setParameters({ getAllowDynamicEnergy: 0n })
})

test('rows T-2, T-3, T-4 and T-39: a contract stakes, unstakes and is destroyed; only some nodes list all of it', async () => {
  // Nothing without data; 01 stakes 5 TRX for energy, 02 unstakes them, anything else leaves all to the caller.
  const [amount, energy] = ['624c4b40', '6001']
  const staker = await deploy(
    `36600557005b60003560f81c80600114601c578060021460255733ff5b${amount}${energy}da005b${amount}${energy}db00`,
  )
  await chain.fund({ ticker: 'TRX', to: base58Of(staker), amount: '12' })
  const tell = async (data: string) => {
    const { transaction } = await ask('triggersmartcontract', {
      owner_address: holder.hex,
      contract_address: staker,
      data,
      fee_limit: 1e8,
    })
    const { id } = await sendAndRead(chain, transaction as never, holder.key)
    const listed = async (featured: boolean): Promise<[string, number | undefined][]> => {
      await chain.setNode({ saveFeaturedInternalTx: featured })
      const { internal_transactions: all = [] } = (await ask('gettransactioninfobyid', { value: id })) as {
        internal_transactions?: { note: string; callValueInfo: { callValue?: number }[] }[]
      }
      return all.map(({ note, callValueInfo }) => [textOf(note), callValueInfo[0]?.callValue])
    }
    return { plain: await listed(false), featured: await listed(true) }
  }
  expect(await tell('01')).toEqual({ plain: [], featured: [['freezeBalanceV2ForEnergy', 5_000_000]] })
  expect(await ask('getaccount', { address: staker })).toMatchObject({
    balance: 7_000_000,
    frozenV2: expect.arrayContaining([{ type: 'ENERGY', amount: 5_000_000 }]) as unknown,
  })
  expect(await tell('02')).toEqual({ plain: [], featured: [['unfreezeBalanceV2ForEnergy', 5_000_000]] })
  await chain.advance(15 * 86_400_000)
  const before = await chain.web.trx.getUnconfirmedBalance(holder.address)
  const end = await tell('03')
  expect(end).toEqual({
    plain: [['suicide', 12_000_000]],
    featured: [
      ['suicide', 12_000_000],
      ['withdrawExpireUnfreezeWhileSuiciding', 5_000_000],
    ],
  })
  const gained = (await chain.web.trx.getUnconfirmedBalance(holder.address)) - before
  expect(gained).toBeLessThanOrEqual(12_000_000)
  expect(gained).toBeGreaterThan(10_000_000)
  expect(await ask('getaccount', { address: staker })).not.toHaveProperty('unfrozenV2')
  await chain.setNode({ saveFeaturedInternalTx: false })
})

test('row T-31: when the free bytes of the network are used up, an account without TRX sends nothing, and another pays for its bytes', async () => {
  const [payer, empty] = [await walletOf(chain, '5'), await walletOf(chain, '0.1')]
  const pay = async (from: Wallet, amount: number): Promise<Record<string, unknown>> =>
    ask('createtransaction', { owner_address: from.hex, to_address: holder.hex, amount })
  const all = await pay(empty, 100_000)
  expect(await ask('getchainparameters', {})).not.toMatchObject({
    chainParameter: expect.arrayContaining([expect.objectContaining({ key: 'getPublicNetLimit' })]) as unknown,
  })
  await chain.setParameters({ getPublicNetLimit: 100n })
  expect(await sendAndRead(chain, (await pay(payer, 7)) as never, payer.key)).toMatchObject({
    fee: expect.any(Number) as number,
    receipt: { net_fee: expect.any(Number) as number },
  })
  await expect(sendAndRead(chain, all as never, empty.key)).rejects.toThrow('refused: BANDWITH_ERROR')
  await chain.setParameters({ getPublicNetLimit: 14_400_000_000n })
  expect(await sendAndRead(chain, all as never, empty.key)).toMatchObject({
    receipt: { net_usage: expect.any(Number) as number },
  })
})

test('row T-7: a contract that is its own heir is listed with its balance, and keeps balance, stake and code', async () => {
  // Nothing without data; 01 stakes 5 TRX for energy and unstakes 2, anything else destroys it for itself.
  const own = await deploy('36600557005b60003560f81c60011460145730ff5b624c4b406001da50621e84806001db00')
  await chain.fund({ ticker: 'TRX', to: base58Of(own), amount: '12' })
  const tell = async (data: string) => {
    const { transaction } = await ask('triggersmartcontract', {
      owner_address: holder.hex,
      contract_address: own,
      data,
      fee_limit: 1e8,
    })
    return sendAndRead(chain, transaction as never, holder.key)
  }
  expect(await tell('01')).toMatchObject({ receipt: { result: 'SUCCESS' } })
  await chain.advance(15 * 86_400_000)
  const { internal_transactions: listed } = await tell('02')
  expect(listed).toMatchObject([
    { caller_address: own, transferTo_address: own, callValueInfo: [{ callValue: 7_000_000 }] },
  ])
  expect(await ask('getaccount', { address: own })).toMatchObject({
    balance: 7_000_000,
    unfrozenV2: [{ unfreeze_amount: 2_000_000 }],
  })
  expect(await ask('getcontract', { value: own })).toHaveProperty('bytecode')
})

test('row T-5: a contract cancels its unstaking, and the entry has details', async () => {
  // Nothing without data; 01 stakes 5 TRX for energy and unstakes 2, anything else cancels all unstaking.
  const staker = await deploy('36600557005b60003560f81c600114601457dc005b624c4b406001da50621e84806001db00')
  await chain.fund({ ticker: 'TRX', to: base58Of(staker), amount: '12' })
  const entries = async (data: string) => {
    const { transaction } = await ask('triggersmartcontract', {
      owner_address: holder.hex,
      contract_address: staker,
      data,
      fee_limit: 1e8,
    })
    const { internal_transactions: listed = [] } = await sendAndRead(chain, transaction as never, holder.key)
    return listed.map(({ note, callValueInfo, ...more }) => [
      textOf(note),
      callValueInfo[0]?.callValue,
      (more as { extra?: string }).extra,
    ])
  }
  await chain.setNode({ saveFeaturedInternalTx: true })
  await entries('01')
  await chain.advance(15 * 86_400_000)
  await entries('01')
  expect(await ask('getaccount', { address: staker })).toMatchObject({
    balance: 4_000_000,
    unfrozenV2: [{ unfreeze_amount: 2_000_000 }],
  })
  expect(await entries('02')).toEqual([
    ['cancelAllUnfreezeV2', undefined, '{"BANDWIDTH":0,"ENERGY":2000000,"TRON_POWER":0}'],
  ])
  await chain.fund({ ticker: 'TRX', to: base58Of(staker), amount: '5' })
  await entries('01')
  await chain.advance(15 * 86_400_000)
  expect((await entries('02')).at(-1)?.slice(0, 2)).toEqual(['withdrawExpireUnfreezeWhileCanceling', 2_000_000])
  expect(await ask('getaccount', { address: staker })).not.toHaveProperty('unfrozenV2')
  await chain.setNode({ saveFeaturedInternalTx: false })
})
