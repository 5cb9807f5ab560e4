/**
 * How nodes refuse batches of questions, as data. Double of row E-60 of docs/dialects.md.
 */
export interface Question {
  id: number
  method: string
  params: unknown[]
}

const tooLong = (asked: readonly unknown[]): string =>
  `batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: ${asked.length}`

/** How nodes refuse a batch of more than they take: status and message. */
export const TOO_MANY: readonly [node: string, status: number, says: (asked: Question[]) => unknown][] = [
  [
    'geth 1.13 and bsc (rpc/handler.go): one error in a list, of the first question',
    200,
    ([first]) => [{ id: first!.id, error: { code: -32600, message: 'batch too large' } }],
  ],
  [
    'erigon until 2.60 (rpc/server.go): one error of no question',
    200,
    (asked) => ({ id: null, error: { code: -32000, message: tooLong(asked) } }),
  ],
  [
    'erigon 3 of 2026 (rpc/handler.go): as geth',
    200,
    (asked) => [{ id: asked[0]!.id, error: { code: -32600, message: tooLong(asked) } }],
  ],
  [
    'nethermind (JsonRpcProcessor.cs): -32005',
    503,
    () => ({ id: null, error: { code: -32005, message: 'Batch size limit exceeded' } }),
  ],
  [
    'besu (RpcErrorType.java): -32005',
    200,
    () => ({ id: null, error: { code: -32005, message: 'Number of requests exceeds max batch size' } }),
  ],
  [
    'reth (jsonrpsee): -32010',
    200,
    () => ({ id: null, error: { code: -32010, message: 'The batch request was too large' } }),
  ],
  [
    'a provider, in words of its own',
    500,
    ([first]) => ({
      id: first!.id,
      error: { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
    }),
  ],
]

/**
 * The answer to each question after the answers have grown too long: geth (rpc/handler.go) and Nethermind
 * (JsonRpcProcessor.cs).
 */
export const CUT_OFF: readonly string[] = ['response too large', 'MaxBatchResponseBodySize of 32768KB exceeded']
