import { expect, test } from 'vitest'
import { verdictOf } from './broadcast.ts'

/** As nodes write them: geth and bsc, reth, erigon, nethermind, besu, anvil. */
const SAYINGS: [code: number, message: string, verdict: string][] = [
  [-32000, 'already known', 'accepted'],
  [-32000, 'ALREADY_EXISTS: already known', 'accepted'],
  [-32000, 'known transaction: 0xab12', 'accepted'],
  [-32010, 'AlreadyKnown', 'accepted'],
  [-32003, 'transaction already imported', 'accepted'],
  [-32000, 'nonce too low', 'nonce-used'],
  [-32000, 'nonce too low: address 0xab12, tx: 4 state: 5', 'nonce-used'],
  [-32003, 'nonce too low', 'nonce-used'],
  [-32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'nonce-used'],
  [-32000, 'replacement transaction underpriced', 'fee-too-low'],
  [-32000, 'transaction underpriced: gas tip cap 1, minimum needed 25000000', 'fee-too-low'],
  [-32003, 'max fee per gas less than block base fee', 'fee-too-low'],
  [-32000, 'max fee per gas less than block base fee: address 0xab12, maxFeePerGas: 1, baseFee: 7', 'fee-too-low'],
  [-32010, 'FeeTooLow, MaxFeePerGas too low', 'fee-too-low'],
  [-32010, 'FeeTooLowToCompete', 'fee-too-low'],
  [-32009, 'Gas price below configured minimum gas price', 'fee-too-low'],
  [-32000, 'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1', 'insufficient-funds'],
  [-32003, 'Insufficient funds for gas * price + value', 'insufficient-funds'],
  [-32010, 'InsufficientFunds, Balance is 0 less than sending value', 'insufficient-funds'],
  [-32004, 'Upfront cost exceeds account balance', 'insufficient-funds'],
  [-32000, 'invalid chain id for signer: have 1 want 56', 'invalid'],
  [-32000, 'invalid sender', 'invalid'],
  [-32000, 'intrinsic gas too low: gas 20000, minimum needed 21000', 'invalid'],
  [-32000, 'exceeds block gas limit', 'invalid'],
  [-32000, 'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)', 'invalid'],
  [-32602, 'Failed to decode transaction', 'invalid'],
  [-32000, 'rlp: expected input list for types.LegacyTx', 'invalid'],
  [-32000, 'txpool is full', 'node-trouble'],
  [-32601, 'the method eth_sendRawTransaction does not exist/is not available', 'node-trouble'],
  [-32603, 'internal error', 'node-trouble'],
  [-32005, 'daily request count exceeded, request rate limited', 'node-trouble'],
  [-32005, 'project ID request rate exceeded', 'node-trouble'],
  [-32016, 'over the plan', 'node-trouble'],
  [-32000, 'Too many requests', 'node-trouble'],
]

test.for(SAYINGS)('%i %s', ([code, message, verdict]) => {
  expect(verdictOf(code, message)).toBe(verdict)
})
