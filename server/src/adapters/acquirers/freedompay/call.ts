import { randomBytes } from 'node:crypto'
import type { AcquirerHttp } from '../http.ts'
import { AcquirerUnreachable } from '../port.ts'
import { isFreedomPaySignature, scriptOf, signFreedomPay, type FreedomPayFields } from './signature.ts'
import type { Spacing } from './spacing.ts'
import { readFreedomPayXml } from './xml.ts'

/**
 * An answer of Freedom Pay. It does not sign an answer if it does not know the merchant. Use an unsigned answer for
 * this error only.
 */
export interface FreedomPayAnswer {
  fields: FreedomPayFields
  /** the answer has a valid signature */
  isSigned: boolean
}

export interface FreedomPayCall {
  path: string
  fields: Readonly<Record<string, string>>
  secretKey: string
  /** orders have priority over queries */
  isOrder: boolean
}

export const newSalt = (): string => randomBytes(12).toString('hex')

/**
 * Returns a function that signs a request, waits for its turn, sends it once and verifies the answer. It throws
 * AcquirerUnreachable.
 */
export const createFreedomPayCaller =
  ({
    name,
    url,
    merchantId,
    http,
    spacing,
  }: {
    name: string
    url: string
    merchantId: string
    http: AcquirerHttp
    spacing: Spacing
  }) =>
  async ({ path, fields, secretKey, isOrder }: FreedomPayCall): Promise<FreedomPayAnswer> => {
    const script = scriptOf(path)
    const unsigned = { ...fields, pg_merchant_id: merchantId, pg_salt: newSalt() }
    const body = new URLSearchParams({ ...unsigned, pg_sig: signFreedomPay(script, unsigned, secretKey) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/xml' }
    const ask = () => http.ask({ method: 'POST', url: url + path, headers, body })
    const answer = await (isOrder ? spacing.order(ask) : spacing.question(ask))
    const read = readAnswer(name, answer.body)
    return { fields: read, isSigned: isFreedomPaySignature(script, read, secretKey) }
  }

const readAnswer = (name: string, body: Buffer): FreedomPayFields => {
  try {
    return readFreedomPayXml(body.toString('utf8'))
  } catch {
    throw new AcquirerUnreachable(`${name}: the answer is no XML of Freedom Pay's`, { sent: true })
  }
}
