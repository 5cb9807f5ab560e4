/**
 * Block 0: an account with nearly all TRX, the sandbox's tokens, and the stake of others on the network. Its
 * transactions are always the same bytes, so the tokens stand at the same addresses on every chain.
 */
import { encodeDeployData } from 'viem'
import { readArtifact, type ContractName } from '../../tokens/artifact.ts'
import { type Address, contractAddressOf } from '../address.ts'
import { bytesOf, noBytes } from '../bytes.ts'
import { signedTransaction, type SignedTransaction } from '../codec/transaction.ts'
import { initialParameters, type ParameterValues } from '../resources/parameters.ts'
import { newAccount, putAccount } from '../state/account.ts'
import { addStakedFor, putParameters } from '../state/records.ts'
import { layeredState, type Changes } from '../state/state.ts'
import type { Machine } from '../vm/machine.ts'
import { sealBlock, type Block, type MinedTransaction } from './block.ts'
import { executeTransaction } from './execute.ts'
import { knownAccount, witnessAddress } from './witness.ts'

/** Anyone who wants TRX of the sandbox gets it from here. */
export const faucet = knownAccount('faucet')
/** Deployed the tokens and owns them. */
export const deployer = knownAccount('deployer')

export interface Token {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly contract: Exclude<ContractName, 'Payer'>
}

/** New ones come last, so that the others keep their addresses. USDT has a blacklist, as the real one has. */
export const tokens: readonly Token[] = [
  { symbol: 'USDT', name: 'Sandbox Tether USD', decimals: 6, contract: 'UsdtLike' },
  { symbol: 'USDC', name: 'Sandbox USD Coin', decimals: 6, contract: 'TestToken' },
]

/** A thousand million TRX, in sun: still exact as a number of JSON. */
const faucetSun = 10n ** 15n
const deployerSun = 10n ** 12n
/**
 * The stake of others, in TRX. A TRX of stake gives about as much as on the main network, 10 energy or 1.6 bytes a day.
 */
const stakedByOthers = { ENERGY: 18_000_000_000n, BANDWIDTH: 27_000_000_000n } as const
const feeLimit = 5_000_000_000n

export interface Genesis {
  /** ms */
  readonly timestamp: number
  readonly parameters: Partial<ParameterValues>
  /** Sun of further accounts. */
  readonly accounts: Readonly<Record<Address, bigint>>
}

export const makeGenesis = async (
  machine: Machine,
  { timestamp, parameters, accounts }: Genesis,
): Promise<{ block: Block; changes: Changes }> => {
  const state = layeredState(() => undefined)
  putParameters(state, initialParameters(parameters))
  addStakedFor(state, 'ENERGY', stakedByOthers.ENERGY)
  addStakedFor(state, 'BANDWIDTH', stakedByOthers.BANDWIDTH)
  const created = BigInt(timestamp)
  const all = { [faucet.address]: faucetSun, [deployer.address]: deployerSun, ...accounts }
  for (const [address, balance] of Object.entries(all)) putAccount(state, address, { ...newAccount(created), balance })
  const block = { number: 0n, timestamp: created, witness: witnessAddress(0), idOf: () => undefined }
  const transactions: MinedTransaction[] = []
  for (const transaction of tokens.map(deployment)) {
    const receipt = await executeTransaction(state, { machine, block, now: created }, transaction)
    if (receipt.run?.result !== 'SUCCESS')
      throw new Error(`the token ${transaction.id} was not deployed: ${receipt.run?.message}`)
    transactions.push({ ...transaction, receipt })
  }
  return { block: sealBlock({ number: 0, timestamp, witness: 0, transactions }, undefined), changes: state.changes() }
}

/** By symbol. */
export const tokenAddress = (symbol: string): Address => {
  const place = tokens.findIndex((token) => token.symbol === symbol)
  const token = tokens[place]
  if (token === undefined) throw new Error(`there is no token ${symbol}`)
  return contractAddressOf(deployment(token, place).id, deployer.address)
}

const deployment = ({ contract, name, symbol, decimals }: Token, place: number): SignedTransaction => {
  const { abi, bytecode } = readArtifact(contract)
  return signedTransaction(
    {
      refBlockBytes: noBytes,
      refBlockHash: noBytes,
      expiration: 1n,
      data: noBytes,
      permissionId: 0n,
      feeLimit,
      timestamp: BigInt(place + 1),
      contract: {
        type: 'CreateSmartContract',
        value: {
          owner_address: deployer.address,
          call_token_value: 0n,
          token_id: 0n,
          new_contract: {
            origin_address: deployer.address,
            contract_address: '',
            abi: abiOf(abi),
            bytecode: bytesOf(encodeDeployData({ abi, bytecode, args: [name, symbol, decimals] })),
            call_value: 0n,
            consume_user_resource_percent: 100n,
            name,
            origin_energy_limit: 10_000_000n,
            code_hash: noBytes,
            trx_hash: noBytes,
            version: 0n,
          },
        },
      },
    },
    [],
  )
}

type AbiMessage = NonNullable<
  Extract<SignedTransaction['raw']['contract'], { type: 'CreateSmartContract' }>['value']['new_contract']
>['abi']
type AbiEntry = NonNullable<AbiMessage>['entrys'][number]

/** As tronweb writes it when it deploys. */
const abiOf = (abi: readonly unknown[]): AbiMessage => ({ entrys: abi.map((entry) => entryOf(entry as JsonEntry)) })

interface JsonEntry {
  readonly type: string
  readonly name?: string
  readonly stateMutability?: string
  readonly inputs?: readonly JsonParameter[]
  readonly outputs?: readonly JsonParameter[]
}
interface JsonParameter {
  readonly name?: string
  readonly type: string
  readonly indexed?: boolean
}

const entryOf = ({ type, name, stateMutability, inputs = [], outputs = [] }: JsonEntry): AbiEntry => ({
  anonymous: false,
  constant: stateMutability === 'view' || stateMutability === 'pure',
  name: name ?? '',
  inputs: inputs.map(parameterOf),
  outputs: outputs.map(parameterOf),
  type: capital(type) as AbiEntry['type'],
  payable: stateMutability === 'payable',
  stateMutability: (stateMutability === undefined
    ? 'UnknownMutabilityType'
    : capital(stateMutability)) as AbiEntry['stateMutability'],
})

const parameterOf = ({ name = '', type, indexed = false }: JsonParameter): AbiEntry['inputs'][number] => ({
  name,
  type,
  indexed,
})
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
