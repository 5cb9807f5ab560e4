/**
 * The same transactions as the tracers of different clients show them. Doubles of row E-33, row E-34, row E-35, row
 * E-36, row E-37, row E-38, row E-39 and row E-40 of docs/dialects.md. In all of them the payer calls a contract with
 * 1 ether. Only tests of these adapters use it.
 */
import {
  callsOf,
  CONTRACT,
  diffOf,
  ETHER,
  innerCall,
  MINER,
  OURS,
  PAYER,
} from '../../../../../test/world/dialects/evm-traces.ts'

/** The frames of `callTracer` below the outermost one, and the amounts that our address got by them. */
export interface Frames {
  who: string
  /** file of the client's repository */
  source: string
  calls: object[]
  received: bigint
}

const IDENTITY = `0x${'0'.repeat(39)}4`
const LIBRARY = `0x${'b1'.repeat(20)}`
const OTHER = `0x${'e1'.repeat(20)}`
const GETH = 'go-ethereum of August 2026'
const hex = (units: bigint): string => `0x${units.toString(16)}`
const call = (given: object) => ({
  type: 'CALL',
  from: CONTRACT,
  to: OURS,
  gas: '0x5208',
  gasUsed: '0x0',
  input: '0x',
  value: hex(ETHER),
  ...given,
})
const failed = (given: object) => call({ error: 'execution reverted', ...given })

export const FRAMES: readonly Frames[] = [
  {
    who: 'row E-34: geth, bsc, reth and EDR: a call of a precompile is a frame',
    source: `${GETH}, eth/tracers/native/call.go; revm-inspectors of August 2026, src/tracing/config.rs`,
    calls: [
      call({ type: 'STATICCALL', to: IDENTITY, value: undefined, input: '0x01', output: '0x01' }),
      call({ to: IDENTITY, value: '0x5' }),
      innerCall,
    ],
    received: ETHER,
  },
  {
    who: 'row E-34: a client that leaves calls of precompiles out',
    source: 'revm-inspectors, src/tracing/config.rs (exclude_precompile_calls)',
    calls: [innerCall],
    received: ETHER,
  },
  {
    who: 'row E-35: geth, bsc, Erigon 3, reth and EDR: a call for more than there is has a frame with an error',
    source: `${GETH}, core/vm/evm.go (captureBegin comes first); erigon 3, execution/vm/evm.go`,
    calls: [call({ value: hex(5n * ETHER), error: 'insufficient balance for transfer' }), innerCall],
    received: ETHER,
  },
  {
    who: 'row E-36: Erigon 2: it has no frame',
    source: 'erigon of August 2024, core/vm/evm.go',
    calls: [innerCall],
    received: ETHER,
  },
  {
    who: 'row E-37: geth, reth and Besu: STATICCALL has no value, DELEGATECALL shows that of its caller again',
    source: `${GETH}, core/vm/evm.go (DelegateCall); besu of March 2026, CallTracerResult.java (NON_NULL)`,
    calls: [
      call({ type: 'STATICCALL', value: undefined }),
      call({ type: 'DELEGATECALL', to: LIBRARY, calls: [innerCall] }),
    ],
    received: ETHER,
  },
  {
    who: 'row E-37: a client that writes null where there is no value',
    source: 'from memory, of Nethermind',
    calls: [call({ type: 'STATICCALL', value: null }), innerCall],
    received: ETHER,
  },
  {
    who: 'row E-37: CALLCODE keeps its value',
    source: `${GETH}, core/vm/evm.go (CallCode)`,
    calls: [call({ type: 'CALLCODE', to: OURS }), innerCall],
    received: ETHER,
  },
  {
    who: 'row E-38: geth: a creation that failed has an error and no address',
    source: `${GETH}, eth/tracers/native/call.go (processOutput)`,
    calls: [failed({ type: 'CREATE', to: undefined, calls: [call({})] }), innerCall],
    received: ETHER,
  },
  {
    who: 'row E-38: Nethermind: its address is null',
    source: 'nethermind, NativeCallTracerCallFrameConverter.cs',
    calls: [failed({ type: 'CREATE2', to: null }), innerCall],
    received: ETHER,
  },
  {
    who: 'row E-38: Besu before 26.2: neither error nor address',
    source: 'besu, CHANGELOG.md, 26.2',
    calls: [call({ type: 'CREATE', to: undefined }), innerCall],
    received: ETHER,
  },
  {
    who: 'row E-39: SELFDESTRUCT to itself shows a value, which stays (EIP-6780)',
    source: `${GETH}, core/vm/instructions.go (opSelfdestruct6780)`,
    calls: [call({ type: 'SELFDESTRUCT', from: OURS, to: OURS, value: '0x7' }), innerCall],
    received: ETHER,
  },
  {
    who: 'null for what others leave out, as what stands before a node may write it',
    source: 'no client of docs/dialects.md does; of `value` row E-37 says it',
    calls: [call({ error: null, calls: null })],
    received: ETHER,
  },
  {
    who: 'SELFDESTRUCT to us brings what the contract had',
    source: `${GETH}, core/vm/instructions.go`,
    calls: [call({ type: 'SELFDESTRUCT', from: OTHER, to: OURS, value: '0x7' })],
    received: 7n,
  },
  {
    who: 'a call that failed undoes what it called',
    source: `${GETH}, eth/tracers/native/call.go`,
    calls: [failed({ to: OTHER, calls: [call({ from: OTHER })] })],
    received: 0n,
  },
]

/** How clients list the traces of a block's transactions. */
export const ELEMENTS: readonly { who: string; element: (height: number) => object }[] = [
  // Besu of March 2026 has it (DebugTraceTransactionResult.java), before 2023 it had not; geth since 1.11
  // (eth/tracers/api.go, txTraceResult).
  { who: 'with a hash: geth, Besu, reth', element: diffOf },
  {
    who: 'row E-33: without a hash: geth before 1.11, old Besu and Erigon',
    element: (height) => ({ result: (diffOf(height) as { result: object }).result }),
  },
  { who: 'with an empty error beside it', element: (height) => ({ ...diffOf(height), error: null }) },
]

/**
 * The trace of a transaction that failed: its fee is gone, and frames below it look as if they had succeeded.
 */
export const FAILED = {
  frames: { ...callsOf([innerCall]), error: 'execution reverted', revertReason: 'no' },
  diff: {
    result: {
      pre: { [PAYER]: { balance: hex(9n * ETHER) }, [MINER]: { balance: '0x7' } },
      post: { [PAYER]: { balance: hex(9n * ETHER - 120_000n) }, [MINER]: { balance: hex(80_007n) } },
    },
  },
}
