import { Type } from 'typebox'

/** A way an operation refuses: the HTTP status, the `code` of the body, and what that code stands for. */
export interface ErrorCode {
  readonly status: number
  readonly code: number
  /** What happened. The `description` of an answer says it for the request at hand, with what to send instead. */
  readonly meaning: string
}

const errorCode = (status: number, code: number, meaning: string): ErrorCode => ({ status, code, meaning })

/** The body of every answer that is not a success (`contract.md` 18 #2 and #3). */
export const ErrorBody = Type.Object(
  {
    code: Type.Integer({ description: 'Number of the error; its meaning depends on the operation when it is 0 to 8' }),
    description: Type.String({ description: 'What to change, in English' }),
    field: Type.Optional(
      Type.String({ description: 'JSON path of the offending field, for example `target.blockchain`' }),
    ),
    requestId: Type.Optional(Type.String({ description: "Names the request in the server's logs" })),
  },
  {
    title: 'ErrorBody',
    description: 'An answer that is not a success',
    examples: [{ code: 1, description: 'Not enough balance' }],
  },
)

/**
 * A signed request that could not be attributed to a merchant (`contract.md` section 2, 19 #1). An unknown or
 * disabled merchant answers -1 too.
 */
export const authenticationErrors = {
  invalidSignature: errorCode(401, -1, 'Invalid signature'),
  signatureExpired: errorCode(401, -2, 'Signature expired'),
  futureRequest: errorCode(401, -3, 'Future request'),
} as const

/** Errors with one meaning on every operation (`contract.md` 18 #2, 19 #3). */
export const generalErrors = {
  invalidRequest: errorCode(400, 100, 'Invalid request'),
  notFound: errorCode(404, 101, 'Not found'),
  notScreenedYet: errorCode(409, 102, 'Not screened yet'),
  conflict: errorCode(
    409,
    103,
    'Idempotency-Key in progress or used with another body; a screening report that there will never be',
  ),
  bodyTooLarge: errorCode(413, 104, 'Body over 1 MiB'),
  tooManyRequests: errorCode(429, 105, 'Too many requests'),
  notBuilt: errorCode(501, 106, 'Operation not built yet'),
  unavailable: errorCode(503, 107, 'Temporarily unavailable'),
} as const

/** The numbering of every call that creates a withdrawal, a batch or an exchange (`contract.md` 5.23, 18 #4). */
export const orderErrors = {
  localIdPlaced: errorCode(400, 0, 'Local id already placed'),
  notEnoughBalance: errorCode(400, 1, 'Not enough balance'),
  feeTooLow: errorCode(400, 2, 'Fee less than required'),
  invalidOrder: errorCode(400, 3, 'Order validation error'),
  pairNotAllowed: errorCode(400, 4, 'Ticker pair not allowed'),
  amountTooLow: errorCode(400, 5, 'Withdraw amount too low'),
  notEnoughLiquidity: errorCode(400, 6, 'Not enough liquidity'),
  amountTooHigh: errorCode(400, 7, 'Withdraw amount too high'),
  destinationRefused: errorCode(400, 8, 'Destination refused'),
} as const

const { destinationRefused, pairNotAllowed, notEnoughLiquidity, ...common } = orderErrors

/** How a withdrawal or a card payout refuses. */
export const withdrawalErrors: readonly ErrorCode[] = [...Object.values(common), destinationRefused]

/** How an exchange refuses. */
export const exchangeErrors: readonly ErrorCode[] = [...Object.values(common), pairNotAllowed, notEnoughLiquidity]

/** How an exchange with withdrawal refuses. */
export const exchangeWithdrawalErrors: readonly ErrorCode[] = Object.values(orderErrors)

/** The numbering of the three estimates (`contract.md` 5.22). */
export const estimateErrors = {
  invalidOrder: errorCode(400, 0, 'Order validation error'),
  pairNotAllowed: errorCode(400, 1, 'Ticker pair not allowed'),
  notEnoughLiquidity: errorCode(400, 2, 'Not enough liquidity'),
} as const

/** The numbering of the two fee lookups (`contract.md` 5.10). */
export const feeLookupErrors = {
  assetNotSupported: errorCode(400, 0, 'Asset not supported'),
} as const
