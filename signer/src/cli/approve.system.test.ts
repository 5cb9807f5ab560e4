/** An approver's commands against a signer that runs as a process. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { approvalMessage } from '../policy/approval.ts'
import { makeFiles, run, serve, written } from '../../../test/world/signer-process.ts'
import type { Run } from '../../../test/world/signer-process.ts'
import { evmRequest, intentOf, policyFile, temporaryDirectory } from '../../../test/world/signer.ts'

const PASSPHRASE = 'a passphrase of the approver'
const large = intentOf(1, { units: '900000000' })
const payment = evmRequest(large)

interface ApproverFiles {
  id: string
  key: string
  pass: string
  publicKey: string
}

async function makeApprover(id: string): Promise<ApproverFiles> {
  const directory = temporaryDirectory()
  const [key, pass] = [join(directory, 'key'), join(directory, 'pass')]
  writeFileSync(pass, PASSPHRASE, { mode: 0o600 })
  const made = run(['approver-key', '--id', id, '--key', key, '--passphrase-file', pass])
  expect(await made.ended).toBe(0)
  expect(statSync(key).mode & 0o777).toBe(0o600)
  const entry = JSON.parse(made.output()) as { id: string; publicKey: string }
  expect(entry).toEqual({ id, publicKey: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
  return { id, key, pass, publicKey: entry.publicKey }
}

const approve = async ({ id, key, pass }: ApproverFiles, typed: string, more: readonly string[]): Promise<Run> => {
  const running = run(['approve', '--id', id, '--key', key, '--passphrase-file', pass, ...more])
  running.child.stdin!.end(`${typed}\n`)
  await running.ended
  return running
}

const withApprovers = (people: readonly ApproverFiles[]): object => ({
  ...policyFile,
  approvers: people.map(({ id, publicKey }) => ({ id, publicKey })),
})

describe('bursar-signer approve', () => {
  test('shows the payment that waits, and hands the approvals of two people to the signer', async () => {
    const [dora, erik] = [await makeApprover('dora'), await makeApprover('erik')]
    const files = await makeFiles(withApprovers([dora, erik]))
    const { client, child, ended } = await serve(files)
    const socket = ['--socket', files.socket]
    expect((await approve(dora, 'yes', socket)).output()).toContain('No payment waits for approvals')
    expect(await client.sign(payment)).toMatchObject({ refused: 'needs-approval' })
    const unwilling = await approve(dora, 'no', socket)
    expect(unwilling.output()).toContain('900000000 base units of USDT')
    expect(unwilling.output()).toContain('0x70 9979 70C5 1812 dc3A 010C 7d01 b50e 0d17 dc79 C8')
    expect(unwilling.output()).toContain('Nothing was approved')
    expect((await approve(dora, 'yes', socket)).output()).toContain('approved')
    expect(await client.sign(payment)).toMatchObject({ refused: 'needs-approval' })
    expect(await client.waiting()).toMatchObject([{ intent: large, approvedBy: ['dora'], needed: 2 }])
    // The approval is in the log and counts after a crash.
    child.kill('SIGKILL')
    await ended
    const next = await serve(files)
    expect(await next.client.sign(payment)).toMatchObject({ refused: 'needs-approval' })
    expect((await approve(erik, 'yes', [...socket, '--intent', large.id, '--hours', '1'])).output()).toContain(
      'approved',
    )
    expect(await next.client.sign(payment)).toHaveProperty('signed')
    expect(await run(['verify-log', '--log', files.log]).ended).toBe(0)
  })

  test('signs a text without a connection, which the server then carries', async () => {
    const [dora, erik] = [await makeApprover('dora'), await makeApprover('erik')]
    const { client } = await serve(await makeFiles(withApprovers([dora, erik])))
    const expiresAt = Date.now() + 3_600_000
    const file = join(temporaryDirectory(), 'text')
    writeFileSync(file, approvalMessage('ETHEREUM', large, expiresAt))
    const approvals = await Promise.all(
      [dora, erik].map(async (person) => {
        const said = (await approve(person, 'yes', ['--text', file])).output()
        const [, expires = '', signature = ''] = / (\S+Z) ([0-9a-f]{128})\n/.exec(said) ?? []
        expect(Date.parse(expires)).toBe(expiresAt)
        return { keyId: person.id, expiresAt, signature }
      }),
    )
    const [first] = approvals as [(typeof approvals)[0]]
    expect(await client.sign({ ...payment, approvals: [first, first] })).toMatchObject({ refused: 'needs-approval' })
    expect(await client.sign({ ...payment, approvals })).toHaveProperty('signed')
  })

  test('hands over nothing with a key that is not enrolled, a wrong passphrase or a changed text', async () => {
    const [dora, mallory] = [await makeApprover('dora'), await makeApprover('mallory')]
    const policy = { ...policyFile, approvers: [...policyFile.approvers, { id: 'dora', publicKey: dora.publicKey }] }
    const files = await makeFiles(policy)
    const { client } = await serve(files)
    const socket = ['--socket', files.socket]
    await client.sign(payment)
    expect((await approve({ ...mallory, id: 'dora' }, 'yes', socket)).output()).toContain('not enrolled')
    expect((await approve(mallory, 'yes', socket)).output()).toContain('not enrolled')
    writeFileSync(dora.pass, 'another passphrase', { mode: 0o600 })
    expect((await approve(dora, 'yes', socket)).output()).toContain('passphrase is wrong')
    expect(await client.waiting()).toMatchObject([{ approvedBy: [] }])
    const file = join(temporaryDirectory(), 'text')
    writeFileSync(file, `${approvalMessage('ETHEREUM', large, Date.now() + 1_000)}\n`)
    expect((await approve(dora, 'yes', ['--text', file])).output()).toContain('not the text of an approval')
    writeFileSync(file, approvalMessage('ETHEREUM', large, Date.now() - 1))
    expect((await approve(dora, 'yes', ['--text', file])).output()).toContain('has ended')
  })

  test('asks which payment when several wait', async () => {
    const dora = await makeApprover('dora')
    const files = await makeFiles({
      ...policyFile,
      approvers: [...policyFile.approvers, { id: 'dora', publicKey: dora.publicKey }],
    })
    const { client } = await serve(files)
    await client.sign(payment)
    await client.sign(evmRequest({ ...large, id: intentOf(2).id }, { nonce: 1n }))
    const asked = await approve(dora, 'yes', ['--socket', files.socket])
    expect(asked.output()).toContain(`--intent ID`)
    expect(asked.output()).toContain(intentOf(2).id)
    const running = run([
      'approve',
      '--id',
      'dora',
      '--key',
      dora.key,
      '--passphrase-file',
      dora.pass,
      '--socket',
      files.socket,
      '--intent',
      large.id,
    ])
    await written(running, /Type "yes"/)
    running.child.stdin!.end()
    expect(await running.ended).toBe(1)
    expect(running.output()).toContain('Nothing was approved')
  })
})
