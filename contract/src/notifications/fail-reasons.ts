import { Type } from 'typebox'

/** Why a deposit or a withdrawal failed, spelled as on the wire (`contract.md` 6.1, 6.2, 18 #29, 19 #8). */
export const failReasons = {
  LESS_THEN_MIN_AMOUNT: 'The deposit is below the minimum of its asset and network',
  ERRROR_CODE_GENERIC: 'The payment failed, and no more exact reason is known',
  TRANSACTION_REPLACED: 'Another transaction took its place',
  REORGANIZED: 'A reorganisation of the chain removed it for good',
  AML_REJECTED: 'Screening rejected it',
} as const

export type FailReasonCode = keyof typeof failReasons

export const FailReason = Type.Enum(Object.keys(failReasons) as FailReasonCode[], {
  title: 'FailReason',
  description: Object.entries(failReasons)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
    .join('. '),
})
