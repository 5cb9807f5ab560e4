import type { MerchantSettings } from '../../merchants/accounts/index.ts'
import type { FormFields } from './reading.ts'
import { formRefusal } from './refusal.ts'

/** The target asset or address of the money (`contract.md` 4.1). */
export interface FormTarget {
  ticker: string
  address?: string
  blockchain?: string
}

/**
 * Returns the target that a form names, if any. Its address is accepted only if the merchant's settings list it
 * (`contract.md` 18, row 15): the form is on the payer's machine, and a payer who changes it must not get the money.
 */
export const readFormTarget = (
  { targetTicker, targetAddress, targetBlockchain }: FormFields,
  { formTargetAddresses }: Pick<MerchantSettings, 'formTargetAddresses'>,
): FormTarget | undefined => {
  if (targetTicker === undefined && targetAddress === undefined && targetBlockchain === undefined) return undefined
  if (targetTicker === undefined)
    throw formRefusal('targetTicker is missing: it names what the money becomes', 'targetTicker')
  if (targetAddress === undefined) return { ticker: targetTicker }
  if (targetBlockchain === undefined)
    throw formRefusal('targetBlockchain is missing: it is needed with targetAddress', 'targetBlockchain')
  if (!formTargetAddresses.includes(targetAddress)) {
    throw formRefusal(
      'targetAddress is not in the settings of this merchant: the merchant has to list it there',
      'targetAddress',
    )
  }
  return { ticker: targetTicker, address: targetAddress, blockchain: targetBlockchain }
}
