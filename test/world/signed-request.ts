/** The signature of a merchant's request, as `contract.md` section 2 has it: none of the SDK's code. */
import { createHmac } from 'node:crypto'

/** @param timestamp seconds @returns hex */
export const sign = (
  key: string,
  method: string,
  target: string,
  body: string | Buffer,
  timestamp: number | string,
): string =>
  createHmac('sha256', key)
    .update(method + target)
    .update(body)
    .update(String(timestamp))
    .digest('hex')
