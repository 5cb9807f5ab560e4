import { generalErrors } from '@bursar/contract'
import { isUuid } from '../../platform/base/id.ts'
import type { Merchant, MerchantDirectory } from '../../merchants/accounts/index.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { FormFields } from './reading.ts'
import { checkForm } from './token.ts'

export interface FormMerchantDeps {
  directory: Pick<MerchantDirectory, 'find'>
  /** counts forms by merchant, open and signed ones separately; a negative result is minus the seconds to wait */
  limiter: { take(subject: string, perMinute: number, now: number): number }
  /** real time, ms */
  now(): number
}

/**
 * Limit of a merchant's open forms in a minute, and of its signed ones: enough for the visitors of a site, too few for
 * a script.
 */
const PER_MINUTE = 300
/**
 * Limit of forms from one network address in a minute: enough for payers who share an address, too few to use up the
 * merchant's limit.
 */
export const FORMS_OF_A_PAYER = 20

/**
 * Returns the merchant that a form names by `merchantId` or `merchantID` (`contract.md` 16, row 17). A merchant that
 * does not exist and one that is disabled get the same refusal; a form that the merchant's settings exclude is refused,
 * too.
 */
export const findFormMerchant = async (
  fields: FormFields,
  path: string,
  { directory, limiter, now }: FormMerchantDeps,
): Promise<Merchant> => {
  const { merchantId, merchantID } = fields
  if (merchantId !== undefined && merchantID !== undefined && merchantId !== merchantID) {
    throw invalid('merchantId and merchantID differ: send one of them', 'merchantID')
  }
  const given = (merchantId ?? merchantID)?.trim().toLowerCase()
  if (given === undefined)
    throw invalid('merchantId is missing: put the identifier of the merchant into the form', 'merchantId')
  const merchant = isUuid(given) ? await directory.find(given) : null
  if (!merchant || merchant.disabled) throw invalid('unknown merchant: check merchantId in the form', 'merchantId')
  if (merchant.service !== 'active') throw invalid('this shop takes no new payments: ask it where to pay', 'merchantId')
  checkForm(merchant, path, fields, now())
  // A sender who only knows the merchant's id can't use up the limit of signed forms.
  const left = limiter.take(`${merchant.id} ${fields.token === undefined ? 'open' : 'signed'}`, PER_MINUTE, now())
  if (left < 0) {
    throw refusal(generalErrors.tooManyRequests, `too many forms of this merchant: try again in ${-left} s`, {
      retryAfterSeconds: -left,
    })
  }
  return merchant
}

const invalid = (description: string, field: string): ApiRefusal =>
  refusal(generalErrors.invalidRequest, description, field)
