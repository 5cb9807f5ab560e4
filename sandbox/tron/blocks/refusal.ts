/** Thrown for a transaction that the chain can't include now. Codes as java-tron's GrpcAPI.Return.response_code. */

export type RefusalCode =
  | 'SIGERROR'
  | 'CONTRACT_VALIDATE_ERROR'
  | 'CONTRACT_EXE_ERROR'
  | 'BANDWITH_ERROR'
  | 'DUP_TRANSACTION_ERROR'
  | 'TAPOS_ERROR'
  | 'TOO_BIG_TRANSACTION_ERROR'
  | 'TRANSACTION_EXPIRATION_ERROR'
  | 'SERVER_BUSY'
  | 'OTHER_ERROR'

export class TransactionRefusal extends Error {
  override name = 'TransactionRefusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * java-tron's ContractValidateException in the response to a broadcast; when a transaction is built, `reason` alone is
 * returned.
 */
export class InvalidContract extends TransactionRefusal {
  override name = 'InvalidContract'
  readonly reason: string

  constructor(reason: string) {
    super('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${reason}`)
    this.reason = reason
  }
}
