import { generalErrors } from '@bursar/contract'
import { isUuid } from '../../platform/base/id.ts'
import type { Merchant, MerchantDirectory } from '../../merchants/accounts/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { FormFields } from './reading.ts'
import { checkForm } from './token.ts'

export interface FormMerchantDeps {
  directory: Pick<MerchantDirectory, 'find'>
  /** counts forms by merchant, open and signed ones apart; below zero: the seconds to wait, negated */
  limiter: { take(subject: string, perMinute: number, now: number): number }
  /** real time, ms */
  now(): number
}

/** Open forms of one merchant in a minute, and as many signed ones: a site's visitors, not a script's. */
const PER_MINUTE = 300
/**
 * Forms of one network address in a minute: so many payers behind one address, and too few to use up what their
 * merchant has.
 */
export const FORMS_OF_A_PAYER = 20

/**
 * The merchant whose form it is, by `merchantId` or `merchantID` (`contract.md` 16, row 17). One that does not exist
 * and one that is disabled are refused alike; so is a form that its settings don't let through.
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
  checkForm(merchant, path, fields, now())
  // Who only knows the merchant's id can't use up what signed forms have.
  const left = limiter.take(`${merchant.id} ${fields.token === undefined ? 'open' : 'signed'}`, PER_MINUTE, now())
  if (left < 0) {
    const { status, code } = generalErrors.tooManyRequests
    throw new ApiRefusal(status, code, `too many forms of this merchant: try again in ${-left} s`, {
      retryAfterSeconds: -left,
    })
  }
  return merchant
}

const invalid = (description: string, field: string): ApiRefusal =>
  new ApiRefusal(generalErrors.invalidRequest.status, generalErrors.invalidRequest.code, description, { field })
