import { isNetwork } from '@bursar/chainkit'
import type { Network } from '@bursar/chainkit'
import { approvalMessage } from '../policy/approval.ts'
import { ADDRESS_TEXT, TICKER, UUID } from '../protocol/request.ts'
import type { Intent } from '../protocol/protocol.ts'

const LINES = /^bursar approval v2\nintent: (.+)\nnetwork: (.+)\nasset: (.+)\nto: (.+)\nunits: (.+)\nexpires: (.+)\n$/
const UNITS = /^[1-9][0-9]{0,77}$/

/**
 * Reads the text of an approval, as `bursar withdrawal approval-text` prints it. Throws an Error unless the text is,
 * byte for byte, the text of the payment that is returned.
 */
export function readApprovalText(text: string): { network: Network; intent: Intent; expiresAt: number } {
  const [, id = '', network = '', asset = '', to = '', units = '', expires = ''] = LINES.exec(text) ?? []
  const expiresAt = Date.parse(expires)
  const isRight =
    UUID.test(id) && TICKER.test(asset) && ADDRESS_TEXT.test(to) && UNITS.test(units) && !Number.isNaN(expiresAt)
  if (!isRight || !isNetwork(network)) throw new Error('This is not the text of an approval')
  const intent = { id, asset, to, units }
  if (approvalMessage(network, intent, expiresAt) !== text) throw new Error('This is not the text of an approval')
  return { network, intent, expiresAt }
}
