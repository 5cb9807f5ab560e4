/**
 * Names in the answers of Ethereum-compatible nodes (ethereum/execution-apis, src/schemas, and names of geth, bsc,
 * Erigon and reth add). A name that is not listed may belong to an unknown rule.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

export const EVM_WORDS = {
  block:
    words(`baseFeePerGas blobGasUsed difficulty excessBlobGas extraData gasLimit gasUsed hash logsBloom miner mixHash nonce number parentBeaconBlockRoot parentHash
    receiptsRoot requestsHash sha3Uncles size stateRoot timestamp totalDifficulty transactions transactionsRoot uncles withdrawals withdrawalsRoot milliTimestamp`),
  transaction:
    words(`accessList authorizationList blobVersionedHashes blockHash blockNumber blockTimestamp chainId from gas gasPrice hash input maxFeePerBlobGas maxFeePerGas
    maxPriorityFeePerGas nonce r s to transactionIndex type v value yParity`),
  /** legacy, EIP-2930, EIP-1559, EIP-4844, EIP-7702 */
  types: words('0 1 2 3 4'),
  receipt:
    words(`blobGasPrice blobGasUsed blockHash blockNumber blockTimestamp contractAddress cumulativeGasUsed effectiveGasPrice from gasUsed logs logsBloom root status to
    transactionHash transactionIndex type`),
  log: words(
    'address blockHash blockNumber blockTimestamp data logIndex removed topics transactionHash transactionIndex',
  ),
  calls: words('CALL CALLCODE CREATE CREATE2 DELEGATECALL SELFDESTRUCT STATICCALL'),
}
