import { Type } from 'typebox'

/** An error of an operation: the HTTP status, the `code` in the body, and the meaning of that code. */
export interface ErrorCode {
  readonly status: number
  readonly code: number
  /** General meaning of the code. The `description` in a response is specific to its request and says what to send. */
  readonly meaning: string
}

const errorCode = (status: number, code: number, meaning: string): ErrorCode => ({ status, code, meaning })

/** The body of every error response (`contract.md` 18 #2 and #3). */
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
 * Errors of a signed request whose merchant could not be verified (`contract.md` section 2, 19 #1). An unknown or
 * disabled merchant gets -1 too.
 */
export const authenticationErrors = {
  invalidSignature: errorCode(401, -1, 'Invalid signature'),
  signatureExpired: errorCode(401, -2, 'Signature expired'),
  futureRequest: errorCode(401, -3, 'Future request'),
} as const

/** Errors with one meaning on every operation (`contract.md` 2.1, 18 #2, 19 #3). */
export const generalErrors = {
  invalidRequest: errorCode(400, 100, 'Invalid request'),
  notFound: errorCode(404, 101, 'Not found'),
  notScreenedYet: errorCode(409, 102, 'Not screened yet'),
  conflict: errorCode(
    409,
    103,
    'Idempotency-Key in progress or used with another body; a screening report that there will never be; a new order of a merchant that is ending or has ended',
  ),
  bodyTooLarge: errorCode(413, 104, 'Body over 1 MiB'),
  tooManyRequests: errorCode(429, 105, 'Too many requests'),
  notBuilt: errorCode(501, 106, 'Operation not built yet'),
  unavailable: errorCode(503, 107, 'Temporarily unavailable'),
  notPermitted: errorCode(
    403,
    108,
    'The additional key lacks a scope that the request needs, or the request comes from an address that the key does not allow',
  ),
} as const

/** Error codes of every operation that creates a withdrawal, a batch or an exchange (`contract.md` 5.23, 18 #4). */
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

/** Errors of a withdrawal or a card payout. */
export const withdrawalErrors: readonly ErrorCode[] = [...Object.values(common), destinationRefused]

/** Errors of an exchange. */
export const exchangeErrors: readonly ErrorCode[] = [...Object.values(common), pairNotAllowed, notEnoughLiquidity]

/** Errors of an exchange with withdrawal. */
export const exchangeWithdrawalErrors: readonly ErrorCode[] = Object.values(orderErrors)

/** Error codes of the three estimates (`contract.md` 5.22). */
export const estimateErrors = {
  invalidOrder: errorCode(400, 0, 'Order validation error'),
  pairNotAllowed: errorCode(400, 1, 'Ticker pair not allowed'),
  notEnoughLiquidity: errorCode(400, 2, 'Not enough liquidity'),
} as const

/** Error codes of the two fee lookups (`contract.md` 5.10). */
export const feeLookupErrors = {
  assetNotSupported: errorCode(400, 0, 'Asset not supported'),
} as const
