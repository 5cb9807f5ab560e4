import { authenticationErrors, generalErrors } from '@bursar/contract'
import { withoutCardNumbers } from '../../platform/api/card-numbers.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'

/** The same refusal for an unknown merchant, a disabled one, and a wrong signature. */
export const badSignature = (): ApiRefusal =>
  refusal(
    authenticationErrors.invalidSignature,
    'Invalid signature: check merchant-id, the private key, and that MESSAGE is built from the bytes sent',
  )

export const { invalidRequest, notPermitted, notFound, bodyTooLarge, tooManyRequests, notBuilt, unavailable } =
  generalErrors

/** The JSON body of a refusal. */
export const refusalBody = (refused: ApiRefusal, requestId?: string): string =>
  JSON.stringify({
    code: refused.code,
    description: refused.message,
    ...(refused.field === undefined ? {} : { field: refused.field }),
    ...(requestId === undefined ? {} : { requestId }),
  })

/** The token of a link, such as an invitation: 256 bits in base64url. */
const LIKE_A_TOKEN = /(?<![\w-])[\w-]{43}(?![\w-])/g

/** A text of a request as logs may contain it: without card numbers and tokens. */
export const withoutSecrets = (text: string): string => withoutCardNumbers(text).replaceAll(LIKE_A_TOKEN, '***')
