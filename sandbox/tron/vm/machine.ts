/** TRON's virtual machine: @ethereumjs/evm with TRON's prices, addresses and balances. It runs one call at a time. */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import type { EVM, EVMResult, Message } from '@ethereumjs/evm'
import { Address as EvmAddress } from '@ethereumjs/util'
import { addressOfEvm, evmAddressOf, type Address, contractAddressOf } from '../address.ts'
import { bytesOf, concat, keccak, uint64Bytes } from '../bytes.ts'
import type { Run } from '../blocks/receipt.ts'
import { slotOf } from '../resources/usage.ts'
import { putAccount, requireAccount } from '../state/account.ts'
import { contractAt, parametersOf, putContract } from '../state/records.ts'
import type { State } from '../state/state.ts'
import { endingOf } from './outcome.ts'
import type { Call, Machine, MachineBlock } from './call.ts'
import { energyPrices } from './prices.ts'
import { addressOfWord, leaveStake, stakingOpcodes, type Running } from './staking.ts'
import { openStorage } from './storage.ts'
import { openTrail, type Trail } from './trail.ts'

export type { Machine, MachineBlock } from './call.ts'

/** The parts of the EVM that TRON does otherwise. */
interface OpenEvm {
  _generateAddress(message: Message): Promise<EvmAddress>
  _opcodeMap: { [opcode: number]: { opHandler: (state: DestroyState, common: Common) => unknown } }
}
interface DestroyState {
  readonly stack: { peek(): bigint[] }
  readonly env: { readonly address: EvmAddress; readonly contract: { balance: bigint } }
}

const selfdestruct = 0xff

export const createMachine = async (chainId: number): Promise<Machine> => {
  const common = new Common({ chain: { ...Mainnet, chainId }, hardfork: Hardfork.Cancun })
  const storage = openStorage()
  let block: MachineBlock | undefined
  let trail: Trail | undefined
  let transactionId = ''
  const blockchain = {
    getBlock: async (number: number) => ({ hash: () => block?.idOf(BigInt(number)) ?? new Uint8Array(32) }),
    putBlock: async () => {},
    shallowCopy: () => blockchain,
  }
  let running: Running | undefined
  const now = (): Running => running as Running
  const customOpcodes = stakingOpcodes(now)
  const evm = await createEVM({
    common,
    stateManager: storage,
    blockchain,
    params: energyPrices() as never,
    allowUnlimitedContractSize: true,
    customOpcodes,
  })
  const created = (message: Message): Address => createdAddress(message, transactionId, trail?.count() ?? 0)
  adapt(evm as EVM, created, now)
  evm.events?.on('beforeMessage', (message: Message) => trail?.enter(message))
  evm.events?.on('afterMessage', ({ execResult }: EVMResult) => trail?.leave(execResult.exceptionError !== undefined))
  return {
    run: async (state, at, call) => {
      ;[block, transactionId] = [at, call.transactionId]
      trail = openTrail(transactionId, (message) => createdAddress(message, transactionId, (trail?.count() ?? 0) + 1))
      running = {
        context: { state, values: parametersOf(state).values, now: at.timestamp, slot: slotOf(at.timestamp) },
        trail,
      }
      const depth = state.depth()
      state.checkpoint()
      storage.use(state, at.timestamp)
      try {
        const factor = factorOf(state, call)
        const plain = { ...call, energyLimit: (call.energyLimit * withoutFactor + factor - 1n) / factor }
        return finish(state, call, factor, await evm.runCall(optionsOf(plain, at)), trail)
      } catch (error) {
        // An operation that the EVM itself can't do, such as a precompile without a library.
        while (state.depth() > depth) state.revert()
        return broken(call, error)
      } finally {
        ;(evm as EVM).journal.cleanJournal()
        ;(evm as EVM).transientStorage.clear()
      }
    },
  }
}

const optionsOf = (call: Call, at: MachineBlock): Parameters<EVM['runCall']>[0] => ({
  caller: new EvmAddress(evmAddressOf(call.caller)),
  ...(call.to === undefined ? {} : { to: new EvmAddress(evmAddressOf(call.to)) }),
  data: call.data,
  value: call.value,
  gasLimit: call.energyLimit,
  gasPrice: 0n,
  skipNonceIncrement: true,
  block: blockForEvm(at),
})

/** As any other failure that is no revert: all energy is gone. */
const broken = (call: Call, error: unknown): Run => ({
  result: 'UNKNOWN',
  message: error instanceof Error ? error.message : String(error),
  energy: call.energyLimit,
  penalty: 0n,
  returned: new Uint8Array(0),
  logs: [],
  internal: [],
})

/**
 * Ten-thousandths of the energy of the operations alone: a call of a contract may cost more (row T-38: java-tron
 * VM.play).
 */
const withoutFactor = 10_000n
const factorOf = (state: State, { to }: Call): bigint => {
  const { getAllowDynamicEnergy: isOn, getDynamicEnergyMaxFactor: most } = parametersOf(state).values
  return isOn === 1n && to !== undefined ? withoutFactor + most : withoutFactor
}

const finish = (state: State, call: Call, factor: bigint, { execResult }: EVMResult, trail: Trail): Run => {
  const ending = endingOf(execResult.exceptionError, call.energyLimit)
  if (ending.result === 'SUCCESS') {
    registerCreated(state, execResult.createdAddresses, trail)
    removeDestroyed(state, execResult)
    state.commit()
  } else state.revert()
  return {
    ...ending,
    ...(ending.result === 'OUT_OF_ENERGY'
      ? { energy: call.energyLimit, penalty: 0n }
      : withFactor(execResult.executionGasUsed, factor, call.energyLimit)),
    returned: execResult.returnValue,
    logs: (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })),
    internal: trail.list(),
  }
}

/** Because of rounding down, one unit more than the limit may be allowed. */
const withFactor = (plain: bigint, factor: bigint, limit: bigint): Pick<Run, 'energy' | 'penalty'> => {
  const dearer = (plain * factor) / withoutFactor
  const energy = dearer > limit ? limit : dearer
  return { energy, penalty: energy - plain }
}

/** Contracts made by code belong to the contract that made them. */
const registerCreated = (state: State, created: ReadonlySet<string> | undefined, trail: Trail): void => {
  for (const hex of created ?? []) {
    const address = addressOfEvm(bytesOf(hex))
    const maker = trail.list().find(({ note, to, rejected }) => note === 'create' && to === address && !rejected)
    if (maker === undefined || contractAt(state, address) !== undefined) continue
    putContract(state, address, {
      origin_address: maker.caller,
      contract_address: address,
      abi: undefined,
      bytecode: new Uint8Array(0),
      call_value: 0n,
      consume_user_resource_percent: 100n,
      name: 'CreatedByContract',
      origin_energy_limit: 0n,
      code_hash: new Uint8Array(0),
      trx_hash: new Uint8Array(0),
      version: 0n,
    })
  }
}

/** Only a contract made by the same transaction goes; others keep their code (EIP-6780, TIP-6780). */
const removeDestroyed = (
  state: State,
  { selfdestruct: destroyed, createdAddresses }: EVMResult['execResult'],
): void => {
  for (const hex of destroyed?.keys() ?? []) {
    if (createdAddresses?.has(hex) !== true) continue
    const address = addressOfEvm(bytesOf(hex))
    putAccount(state, address, undefined)
    putContract(state, address, undefined)
    state.set(`code ${address}`, undefined)
  }
}

const adapt = (evm: EVM, created: (message: Message) => Address, running: () => Running): void => {
  const open = evm as unknown as OpenEvm
  open._generateAddress = async (message) => new EvmAddress(evmAddressOf(created(message)))
  // TRON has no price for a first access: nothing ever counts as accessed before.
  Object.assign(evm.journal, { isWarmedAddress: () => false, isWarmedStorage: () => false })
  const operation = open._opcodeMap[selfdestruct]
  if (operation === undefined) throw new Error('the EVM has no SELFDESTRUCT')
  const { opHandler } = operation
  operation.opHandler = (state, common) => {
    const contract = addressOfEvm(state.env.address.bytes)
    leaveStake(running(), contract, addressOfWord(state.stack.peek()[0] as bigint))
    // Stake has changed it behind the EVM's back.
    state.env.contract.balance = requireAccount(running().context.state, contract).balance
    return opHandler(state, common)
  }
}

/**
 * Returns the address of a contract created by a transaction, by code, or by CREATE2, whose prefix is 41 instead of
 * Ethereum's ff. Source: java-tron WalletUtil and TransactionUtil.
 */
const createdAddress = (message: Message, transactionId: string, count: number): Address => {
  const caller = addressOfEvm(message.caller.bytes)
  if (message.depth === 0) return contractAddressOf(transactionId, caller)
  if (message.salt === undefined)
    return addressOfEvm(keccak(concat(bytesOf(transactionId), uint64Bytes(BigInt(count)))).subarray(12))
  const code = (message.code ?? message.data) as Uint8Array
  return addressOfEvm(keccak(concat(bytesOf(caller), message.salt, keccak(code))).subarray(12))
}

const blockForEvm = ({
  number,
  timestamp,
  witness,
}: MachineBlock): NonNullable<Parameters<EVM['runCall']>[0]['block']> => ({
  header: {
    number,
    coinbase: new EvmAddress(evmAddressOf(witness)),
    timestamp: timestamp / 1_000n,
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    gasLimit: 100_000_000n,
    baseFeePerGas: 0n,
    slotNumber: 0n,
    getBlobGasPrice: () => 0n,
  },
})
