import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Enrolled } from '../approvals/enrolment.ts'
import { ENROLMENT_MS, beginEnrolment, endEnrolment, enrolledBy } from '../approvals/enrolment.ts'
import { fingerprintOf } from '../approvals/pages.ts'
import { groupsOf } from '../approvals/shown.ts'
import { readOrigin } from '../policy/approvers.ts'
import { APPROVER_ID } from '../protocol/request.ts'

const LOOK_EVERY_MS = 300

/**
 * Has a person make a passkey on the page of the running signer. Prints the address of the page with a code that serves
 * once, waits, and prints the entry that the administrator adds to the policy. It changes no policy.
 */
export async function enrol(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { id: text, log: text, 'approvals-origin': text } })
  const { id, log } = values
  if (id === undefined || !APPROVER_ID.test(id)) throw new Error('Give the id of the approver: --id alice')
  if (!log) throw new Error("Give the running signer's log: --log FILE")
  const origin = readOrigin(values['approvals-origin'], '--approvals-origin')
  const code = await beginEnrolment(log, id, Date.now())
  try {
    process.stdout.write(`${origin}/enrol?code=${code}\n`)
    process.stderr.write(`Send this address to ${id}. It serves once, for 15 minutes\n`)
    const { entry, maySync } = await waitForPasskey(log)
    if (entry.id !== id || entry.origin !== origin) throw new Error('The passkey was made for another approver or page')
    process.stdout.write(`${JSON.stringify(entry)}\n`)
    process.stderr.write(
      maySync
        ? 'The passkey is synced: every device of the account that stores it can approve\n'
        : 'The passkey is not synced: it stays on one device\n',
    )
    process.stderr.write(
      `Ask ${id} for the fingerprint. If it is ${groupsOf(fingerprintOf(entry.publicKey)).join(' ')}, add the entry to the policy's approvers and send SIGHUP\n`,
    )
  } finally {
    await endEnrolment(log)
  }
}

async function waitForPasskey(log: string): Promise<Enrolled> {
  const end = Date.now() + ENROLMENT_MS
  while (Date.now() < end) {
    const enrolled = await enrolledBy(log)
    if (enrolled) return enrolled
    await sleep(LOOK_EVERY_MS)
  }
  throw new Error('No passkey was made in 15 minutes')
}
