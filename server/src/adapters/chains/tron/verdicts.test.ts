import { expect, test } from 'vitest'
import { verdictOf } from './broadcast.ts'

/** Every code of `Return.response_code` (api.proto), with what java-tron writes beside it. */
const SAYINGS: [code: string, message: string, verdict: string][] = [
  ['SUCCESS', '', 'accepted'],
  ['SIGERROR', 'Validate signature error: sig error', 'invalid'],
  ['SIGERROR', 'Validate signature error: 1b is signed by T.. but it is not contained of permission.', 'invalid'],
  [
    'CONTRACT_VALIDATE_ERROR',
    'Contract validate error : Validate TransferContract error, balance is not sufficient.',
    'insufficient-funds',
  ],
  [
    'CONTRACT_VALIDATE_ERROR',
    'Contract validate error : Validate TransferContract error, no OwnerAccount.',
    'insufficient-funds',
  ],
  ['CONTRACT_VALIDATE_ERROR', 'Contract validate error : account [41aa] does not exist', 'insufficient-funds'],
  ['CONTRACT_VALIDATE_ERROR', 'Contract validate error : No contract or not a valid smart contract', 'invalid'],
  ['CONTRACT_VALIDATE_ERROR', 'Contract validate error : feeLimit must be >= 0 and <= 15000000000', 'invalid'],
  [
    'CONTRACT_EXE_ERROR',
    'Contract execute error : validateForSmartContract failure, balance is not sufficient',
    'insufficient-funds',
  ],
  ['CONTRACT_EXE_ERROR', 'Contract execute error : too long', 'invalid'],
  ['BANDWITH_ERROR', 'Bandwidth error : account has insufficient bandwidth', 'insufficient-funds'],
  ['DUP_TRANSACTION_ERROR', 'Dup transaction.', 'known'],
  ['TAPOS_ERROR', 'Tapos check error.', 'expired'],
  ['TOO_BIG_TRANSACTION_ERROR', 'Transaction size is too big.', 'invalid'],
  ['TRANSACTION_EXPIRATION_ERROR', 'Transaction expired', 'expired'],
  ['SERVER_BUSY', 'Server busy.', 'node-trouble'],
  ['NO_CONNECTION', 'No connection.', 'node-trouble'],
  ['NOT_ENOUGH_EFFECTIVE_CONNECTION', 'No enough connection.', 'node-trouble'],
  ['BLOCK_UNSOLIDIFIED', 'Block unsolidified.', 'node-trouble'],
  ['OTHER_ERROR', 'Error: something', 'node-trouble'],
  ['A_CODE_OF_TOMORROW', 'balance is not sufficient', 'node-trouble'],
  ['constructor', 'a property that every object has', 'node-trouble'],
]

test.for(SAYINGS)('%s %s', ([code, message, verdict]) => {
  expect(verdictOf(code, message)).toBe(verdict)
})
