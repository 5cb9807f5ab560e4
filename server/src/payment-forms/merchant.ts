import { generalErrors } from '@bursar/contract'
import { isUuid } from '../base/id.ts'
import type { Merchant, MerchantDirectory } from '../merchants/index.ts'
import { ApiRefusal } from '../platform/route.ts'
import type { FormFields } from './reading.ts'

export interface FormMerchantDeps {
  directory: Pick<MerchantDirectory, 'find'>
  /** counts forms by merchant; below zero: the seconds to wait, negated */
  limiter: { take(subject: string, perMinute: number, now: number): number }
  /** real time, ms */
  now(): number
}

/** Forms of one merchant in a minute: a site's visitors, not a script's. */
const PER_MINUTE = 300

/**
 * The merchant whose form it is, by `merchantId` or `merchantID` (`contract.md` 16, row 17). One that nobody is and one that is
 * disabled are refused alike.
 */
export const findFormMerchant = async (
  fields: FormFields,
  { directory, limiter, now }: FormMerchantDeps,
): Promise<Merchant> => {
  const { merchantId, merchantID } = fields
  if (merchantId !== undefined && merchantID !== undefined && merchantId !== merchantID) {
    throw invalid('merchantId and merchantID differ: send one of them', 'merchantID')
  }
  const given = (merchantId ?? merchantID)?.trim().toLowerCase()
  if (given === undefined) throw invalid('merchantId is missing: put the identifier of the merchant into the form', 'merchantId')
  const merchant = isUuid(given) ? await directory.find(given) : null
  if (!merchant || merchant.disabled) throw invalid('unknown merchant: check merchantId in the form', 'merchantId')
  const left = limiter.take(merchant.id, PER_MINUTE, now())
  if (left < 0) {
    const { status, code } = generalErrors.tooManyRequests
    throw new ApiRefusal(status, code, `too many forms of this merchant: try again in ${-left} s`, { retryAfterSeconds: -left })
  }
  return merchant
}

const invalid = (description: string, field: string): ApiRefusal =>
  new ApiRefusal(generalErrors.invalidRequest.status, generalErrors.invalidRequest.code, description, { field })
