import { expect, test } from 'vitest'
import { adapterBefore, refusal } from './test-node.ts'
import { REFUSALS } from './test-refusals.ts'
import { verdictOf } from './verdicts.ts'

test.for(REFUSALS)('audit D-E12: row Sending: $client $version, "$says" ($code) is $verdict', ({ code, says, verdict }) => {
  expect(verdictOf(code, says)).toBe(verdict)
})

const ADDRESS = `0x${'a1'.repeat(20)}`

/** Erigon's pool answers from `discardReasonsLRU` too (txnprovider/txpool/pool.go, `idHashKnown`). */
test.for([
  ['of a transaction that it has', { blockHash: null }, { kind: 'accepted' }],
  ['of one that it has dropped, or that was in a block that was undone', null, { kind: 'refused', reason: 'fee-too-low' }],
] as const)('audit D-E12: row Sending: Erigon says ALREADY_EXISTS %s', async ([, shown, result]) => {
  const { adapter, asked } = await adapterBefore({
    eth_sendRawTransaction: refusal(-32000, 'ALREADY_EXISTS: already known'), eth_getTransactionReceipt: { result: null }, eth_getTransactionByHash: { result: shown },
  })
  expect(await adapter.broadcast('0xc0')).toMatchObject(result)
  expect(asked.filter(({ method }) => method === 'eth_getTransactionByHash')).toHaveLength(1)
})

/** Besu: RpcErrorType.java; Nethermind 1.30; geth: core/error.go; a token's own words come with the code of a revert (EIP-1474 has 3). */
test.for([
  ['besu', -32004, 'Upfront cost exceeds account balance', 'insufficient-funds'],
  ['nethermind', -32003, 'insufficient sender balance for gas * price + value', 'insufficient-funds'],
  ['nethermind', -32000, 'insufficient sender balance', 'insufficient-funds'],
  ['geth', -32000, 'insufficient funds for transfer', 'insufficient-funds'],
  ['hardhat', -32000, "Sender doesn't have enough funds to send tx. The max upfront cost is: 2 and the sender's balance is: 1.", 'insufficient-funds'],
  ['geth, a token that says so', 3, 'execution reverted: insufficient balance', 'reverted'],
  ['besu', -32000, 'Execution reverted', 'reverted'],
  ['nethermind 1.31', -32015, 'VM execution error. revert', 'reverted'],
  ['hardhat', -32603, 'VM Exception while processing transaction: reverted with reason string \'no\'', 'reverted'],
] as const)('audit D-E12: row Calls: an estimate that %s refuses with %i "%s" is %s', async ([, code, message, reason]) => {
  const { adapter } = await adapterBefore({ eth_estimateGas: refusal(code, message) })
  expect(await adapter.estimateGas({ from: ADDRESS, to: ADDRESS, value: 1n, data: '0x' })).toMatchObject({ ok: false, reason })
})
