import { expect, test } from 'vitest'
import { adapterBefore, refusal } from '../../../../../test/world/scripted-evm-node.ts'
import { REFUSALS } from '../../../../../test/world/dialects/evm-refusals.ts'
import { verdictOf } from './verdicts.ts'

test.for(REFUSALS)(
  'audit D-E12: rows E-43, E-45, E-46, E-47 and E-49: $client $version, "$says" ($code) is $verdict',
  ({ code, says, verdict }) => {
    expect(verdictOf(code, says)).toBe(verdict)
  },
)

const ADDRESS = `0x${'a1'.repeat(20)}`

/**
 * Nethermind of 2026 says the same with one code as it did with another before (ErrorCodes.cs); Erigon, geth and bsc
 * have one code for all.
 */
test('row E-44: where a client has one code for every refusal, the text decides', () => {
  const wordy = REFUSALS.filter(
    ({ client, code }) => ['geth', 'bsc', 'erigon', 'nethermind'].includes(client) && code === -32000,
  )
  expect(wordy.length).toBeGreaterThan(50)
  expect(wordy.filter(({ says, verdict }) => verdictOf(-32010, says) !== verdict)).toEqual([])
})

/**
 * Two that speak of what they no longer have, or never took: AlreadyKnownTxFilter.cs and HashCache.cs;
 * txnprovider/txpool/pool.go, `idHashKnown`.
 */
test.for([
  ['Nethermind, of a transaction that it has', 'already known', { blockHash: null }, { kind: 'accepted' }],
  [
    'Nethermind, of one that it has refused in the same block',
    'already known',
    null,
    { kind: 'refused', reason: 'later' },
  ],
  ['Nethermind until 2025, of the same', 'AlreadyKnown', null, { kind: 'refused', reason: 'later' }],
  ['Erigon, of a transaction that it has', 'ALREADY_EXISTS: already known', { blockHash: null }, { kind: 'accepted' }],
  [
    'Erigon, of one that it has dropped, or that was in a block that was undone',
    'ALREADY_EXISTS: already known',
    null,
    { kind: 'refused', reason: 'fee-too-low' },
  ],
] as const)('audit D-E12: row E-48: %s, is asked whether it has it: "%s"', async ([, says, shown, result]) => {
  const { adapter, asked } = await adapterBefore({
    eth_sendRawTransaction: refusal(-32000, says),
    eth_getTransactionReceipt: { result: null },
    eth_getTransactionByHash: { result: shown },
  })
  expect(await adapter.broadcast('0xc0')).toMatchObject(result)
  expect(asked.filter(({ method }) => method === 'eth_getTransactionByHash')).toHaveLength(1)
})

/** geth core/txpool: the nonce is below that of the account, whichever transaction has used it. */
test.for([
  ['this transaction itself, which is mined', { blockHash: null }, { kind: 'accepted' }],
  ['another one', null, { kind: 'conflict', message: 'nonce too low: next nonce 5, tx nonce 4' }],
] as const)('a nonce that is used was used by %s', async ([, shown, result]) => {
  const { adapter } = await adapterBefore({
    eth_sendRawTransaction: refusal(-32000, 'nonce too low: next nonce 5, tx nonce 4'),
    eth_getTransactionReceipt: { result: null },
    eth_getTransactionByHash: { result: shown },
  })
  expect(await adapter.broadcast('0xc0')).toEqual(result)
})

/**
 * Besu: RpcErrorType.java; Nethermind 1.30; geth: core/error.go; a token's own words come with the code of a revert
 * (EIP-1474 has 3).
 */
test.for([
  ['besu', -32004, 'Upfront cost exceeds account balance', 'insufficient-funds'],
  ['nethermind', -32003, 'insufficient sender balance for gas * price + value', 'insufficient-funds'],
  ['nethermind', -32000, 'insufficient sender balance', 'insufficient-funds'],
  ['geth', -32000, 'insufficient funds for transfer', 'insufficient-funds'],
  [
    'hardhat',
    -32000,
    "Sender doesn't have enough funds to send tx. The max upfront cost is: 2 and the sender's balance is: 1.",
    'insufficient-funds',
  ],
  ['geth, a token that says so', 3, 'execution reverted: insufficient balance', 'reverted'],
  ['besu', -32000, 'Execution reverted', 'reverted'],
  ['nethermind 1.31', -32015, 'VM execution error. revert', 'reverted'],
  ['hardhat', -32603, "VM Exception while processing transaction: reverted with reason string 'no'", 'reverted'],
] as const)(
  'audit D-E12: row E-56: an estimate that %s refuses with %i "%s" is %s',
  async ([, code, message, reason]) => {
    const { adapter } = await adapterBefore({ eth_estimateGas: refusal(code, message) })
    expect(await adapter.estimateGas({ from: ADDRESS, to: ADDRESS, value: 1n, data: '0x' })).toMatchObject({
      ok: false,
      reason,
    })
  },
)
