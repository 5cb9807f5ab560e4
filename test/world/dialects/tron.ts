/**
 * How java-tron and TronGrid answer besides the ordinary: release_v4.8.1 of tronprotocol/java-tron, by file, and
 * TronGrid's pages. Rows of docs/dialects.md. Behaviour that depends on the state of a chain is in `sandbox/tron`.
 */
import { headerOf, idOf, Reply } from '../scripted-tron-node.ts'

export const hex = (text: string): string => Buffer.from(text).toString('hex')
const word = (digits: string): string => digits.padStart(64, '0')
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/**
 * An internal transaction as TransactionUtil.buildInternalTransaction shows it. @param to undefined: the field is
 * absent
 */
export const entry = (by: string, note: string, to: string | undefined, more: object = {}) => ({
  caller_address: by,
  ...(to && { transferTo_address: to }),
  callValueInfo: [{}],
  note: hex(note),
  ...more,
})

/** Row T-5: Program.cancelAllUnfreezeV2Action and voteWitness write `extra`; the latter names no receiver. */
export const stakeEntries = (by: string) => [
  entry(by, 'cancelAllUnfreezeV2', by, { extra: '{"unfreeze":{"BANDWIDTH":5}}' }),
  entry(by, 'voteWitness', undefined, { extra: '{}' }),
]

/**
 * Row T-6: TransactionUtil.buildInternalTransaction leaves a value of 0 out, and adds one entry a TRC-10 token to a
 * destruction's.
 */
export const valuelessCall = (by: string, to: string) => entry(by, 'call', to)
export const destruction = (by: string, heir: string, sun: number) =>
  entry(by, 'suicide', heir, {
    callValueInfo: [{ callValue: sun }, { callValue: 5, tokenId: '1000001' }, { callValue: 6, tokenId: '1000002' }],
  })

/** Row T-7: Program.suicide2 lists an old contract that is its own heir before it sees that nothing moves. */
export const selfDestruction = (by: string, sun: number) =>
  entry(by, 'suicide', by, { callValueInfo: [{ callValue: sun }] })
/** Row T-39: Program.suicide lists nothing of the stake that goes to the heir. */
export const NO_ENTRIES: readonly object[] = []

/**
 * Row T-8, row T-11: the servlets print {} for a missing object: an unknown id, a height above the head, an account
 * that was never used, and on a node without history also a transaction of an old block.
 */
export const NOT_HERE = {}

/** GetTransactionInfoByBlockNumServlet and TransactionRetStore.put, for a block with transactions. */
export const UNUSABLE_INFOS: readonly (readonly [string, unknown])[] = [
  ['row T-9: [] for a block with transactions', []],
  ['row T-9: {} for block 0 and others', {}],
  ['row T-13: infos of other transactions', [{ id: 'cd'.repeat(32), blockNumber: 9 }]],
  ['row T-13: [], as transHistory.switch is off', []],
]

/** Row T-12: LiteFnQueryHttpFilter, with status 200. */
export const LITE_NODE = 'this API is closed because this node is a lite fullnode'

/**
 * Wallet.callConstantContract, triggerConstantContract and VMActuator.call, as TriggerConstantContractServlet prints
 * them.
 */
export const refusal = (code: string, message: string) => () => ({ result: { code, message: hex(message) } })
export const SILENT: readonly (readonly [string, () => unknown])[] = [
  ['runs no calls (row T-14)', refusal('CONTRACT_VALIDATE_ERROR', 'this node does not support constant')],
  ['is behind the contract (row T-16)', refusal('CONTRACT_VALIDATE_ERROR', 'Smart contract is not exist.')],
  ['has no contract there', refusal('CONTRACT_VALIDATE_ERROR', 'No contract or not a smart contract')],
  [
    'ran out of time (row T-19)',
    refusal('OTHER_ERROR', 'class org.tron.core.vm.program.Program$OutOfTimeException : Already Time Out'),
  ],
  ['broke', refusal('OTHER_ERROR', 'class java.lang.RuntimeException : Unknown Throwable')],
]
/** Row T-15: Wallet.estimateEnergy. */
export const NO_ESTIMATES = {
  result: { code: 'CONTRACT_VALIDATE_ERROR', message: hex('this node does not support estimate energy') },
}
/** Row T-18: Wallet.callConstantContract prints any failure but a REVERT so. */
export const FAILING_CODE = [
  'class org.tron.core.vm.program.Program$IllegalOperationException : Invalid operation code: opCode[fe];',
  "class org.tron.core.vm.program.Program$BadJumpDestinationException : Operation with pc isn't 'JUMPDEST': PC[3];",
  "class org.tron.core.vm.program.Program$OutOfEnergyException : Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[100000000]",
] as const

/**
 * Wallet.broadcastTransaction, TransferActuator.validate, BandwidthProcessor.consume,
 * TransactionCapsule.validateSignature; BroadcastHexServlet prints messages plain, others in hex.
 */
const SHORT = 'Contract validate error : Validate TransferContract error, balance is not sufficient.'
export const REFUSED: readonly (readonly [row: string, code: string, message: string, reason: string])[] = [
  ['row T-28', 'TAPOS_ERROR', 'Tapos check error.', 'expired'],
  ['row T-28', 'TRANSACTION_EXPIRATION_ERROR', 'Transaction expired', 'expired'],
  ['row T-29: plain text', 'CONTRACT_VALIDATE_ERROR', SHORT, 'insufficient-funds'],
  ['row T-29: hex', 'CONTRACT_VALIDATE_ERROR', hex(SHORT), 'insufficient-funds'],
  [
    'row T-30 (TransferActuator)',
    'CONTRACT_VALIDATE_ERROR',
    'Contract validate error : Cannot transfer TRX to a smartContract.',
    'invalid',
  ],
  [
    'row T-30 (TransferActuator)',
    'CONTRACT_VALIDATE_ERROR',
    'Contract validate error : Cannot transfer TRX to a smartContract which version is one. Instead please use TriggerSmartContract ',
    'invalid',
  ],
  ['row T-31', 'BANDWITH_ERROR', 'Account resource insufficient error.', 'insufficient-funds'],
  ['row T-45', 'SIGERROR', 'Validate signature error: Signature size is 64', 'invalid'],
]
/**
 * Answers after which the transaction may be on its way: the checks of peers come before it enters the pool, or after
 * (Wallet.broadcastTransaction).
 */
export const UNDECIDED: readonly (readonly [row: string, code: string, message: string])[] = [
  ['row T-23', 'BLOCK_UNSOLIDIFIED', 'Block unsolidified.'],
  ['row T-25: it is in the pool already', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', 'P2P broadcast failed.'],
  ['row T-25', 'NO_CONNECTION', 'No connection.'],
]
/**
 * Row T-26, row T-27: Wallet.broadcastTransaction asks its cache of ids, Manager.pushTransaction the pool; both say
 * this.
 */
export const duplicate = (id: string) => ({
  result: false,
  code: 'DUP_TRANSACTION_ERROR',
  txid: id,
  message: 'Transaction already exists.',
})

/** Row T-32: RateLimiterServlet, with status 200. */
export const NO_RESOURCES = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' }
const SUSPENDED = 'The key exceeds the frequency limit(15), and the query server is suspended for 30s'
/** Row T-33: developers.tron.network/reference/rate-limits gives the texts and the 30 s; the newer page names 429. */
export const SUSPENSIONS: readonly (readonly [who: string, reply: Reply, pauseMs: number])[] = [
  ['TronGrid, 403', new Reply(403, JSON.stringify({ Success: false, Error: SUSPENDED, StatusCode: 403 })), 30_000],
  ['TronGrid, 503', new Reply(503, JSON.stringify({ Error: SUSPENDED })), 30_000],
  ['429 without a text', new Reply(429, ''), 30_000],
  ['429 with Retry-After', new Reply(429, '', { 'retry-after': '60' }), 60_000],
]
/** Row T-34: HttpApiAccessFilter, and Jetty's page for a path that no servlet has. */
export const NOT_SERVED: readonly (readonly [what: string, reply: Reply, says: string])[] = [
  [
    'switched off by settings',
    new Reply(404, '{"Error":"this API is unavailable due to config"}'),
    'take getblock out of node.disabledApi',
  ],
  ["Jetty's own", new Reply(404, '<html><title>Error 404 Not Found</title></html>'), 'check `url`'],
]

/** Row T-10, row T-21, row T-22: the headers of machines on two forks (Manager.switchFork): one height, another id. */
export const onFork = (height: number, fork: 'aa' | 'bb') => headerOf(height, fork)
/** Row T-44: a test network has addresses of the same form, and another genesis block. */
export const genesisOf = (network: 'main' | 'nile') => idOf(0, network === 'main' ? 'aa' : 'ff')

/** Row T-24: a node that syncs answers everything as of its head, which is old (Wallet.getNowBlock). ms */
export const OLD_HEAD_TIME = 1

/**
 * Row T-35: Util.convertLogAddressToTronAddress is applied in some answers only: elsewhere a log's address has 20 bytes
 * without the prefix.
 */
export const transferLog = (contract: string, from: string, to: string, units: string) => ({
  address: contract.slice(2),
  topics: [TRANSFER, word(from.slice(2)), word(to.slice(2))],
  data: word(units),
})
/** Row T-41: TetherToken.transfer with a fee of the issuer: the receiver's share, then the issuer's. */
export const transferWithFee = (contract: string, from: string, to: string, issuer: string) => [
  transferLog(contract, from, to, '63'),
  transferLog(contract, from, issuer, '1'),
]
/** Row T-42: TetherToken.destroyBlackFunds lowers a balance and writes this, and no Transfer. */
export const FUNDS_DESTROYED = 'DestroyedBlackFunds(address,uint256)'
/** Row T-43: any contract may write such a log about any address. */
export const fakeTransfer = (fake: string, from: string, to: string) => transferLog(fake, from, to, 'ff')

/** Row T-36: JsonFormat leaves a value of 0 out; parameters come and go with proposals. */
export const parameters = (keys: readonly string[], zero: string, value: number) => ({
  chainParameter: [...keys.map((key) => (key === zero ? { key } : { key, value })), { key: 'getOfTomorrow', value }],
})
/** Row T-37: JsonFormat prints int64 as numbers that no double holds; the JSON reader leaves them as text. */
export const BEYOND_DOUBLES = '90071992547409930'

/**
 * Row T-46: each CALL is an internal transaction, of 40 energy where it moves nothing (EnergyCost.java,
 * Program.callToAddress), and of some 300 bytes in an info. All infos of a block, which may run for 1.5 s, come to more
 * than a gateway passes on, or anyone reads; those of one transaction, which may run for 80 ms, do not.
 */
export const manyCalls = (by: string, to: string, count: number) =>
  Array.from({ length: count }, () => entry(by, 'call', to))
export const GATEWAY_GIVES_UP = new Reply(502, '<html><body>Bad Gateway</body></html>')
