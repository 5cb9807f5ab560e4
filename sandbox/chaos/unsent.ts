/**
 * Ends card payouts that never reached the bank: their worker was killed between storing the order and sending it.
 * Bursar does not send such an order again, because the bank may have it. The operator asks the bank, and resolves the
 * order (docs/operating/card-numbers.md).
 */
import { control } from '../try/running.ts'
import type { Description } from '../try/running.ts'
import type { Operator } from './operator.ts'

/** Longer than an order must be old before the operator may resolve it, ms. */
const OLD_ENOUGH_MS = 16 * 60_000

interface OpenPart {
  /** null: not sent to any bank yet */
  readonly reference: string | null
}

/**
 * Moves the business clock if there is such an order, so that it is old enough. Called when no order has ended for
 * longer than a worker waits for the bank's answer.
 * @returns the references of the orders that were resolved
 * @throws SandboxError when the sandbox or the command refuses
 */
export async function resolveUnsent(sandbox: Description, bursar: Operator): Promise<string[]> {
  const { parts } = JSON.parse((await bursar('card-payouts', '--json')).text) as { parts: OpenPart[] }
  const unsent: string[] = []
  for (const { reference } of parts) {
    if (reference === null) continue
    const found = await control<{ payouts: unknown[] }>(sandbox, `/bank/find?reference=${reference}`)
    if (found.payouts.length === 0) unsent.push(reference)
  }
  if (unsent.length === 0) return []
  await control(sandbox, '/clock', { advanceMs: OLD_ENOUGH_MS })
  const resolved: string[] = []
  for (const reference of unsent) {
    const { code } = await bursar(
      'card-payout',
      'resolve',
      reference,
      'the bank has no such order',
      '--refused',
      '--yes',
    )
    if (code === 0) resolved.push(reference)
  }
  return resolved
}
