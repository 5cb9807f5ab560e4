/** Commands of an operator about the signer's log. */
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../signer/src/server/endpoint.ts'
import { createHttpServer } from '../../../../signer/src/server/http-server.ts'
import { evmRequest, intentOf, makeSigner } from '../../../../test/world/signer.ts'
import { useInstallation } from '../../../../test/world/installation.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { createLogMemory } from '../../chain/transactions/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()

/** A signer with a log of its own that has signed once. */
const serve = async (): Promise<string> => {
  const { signer } = await makeSigner()
  await signer.sign(evmRequest(intentOf(1)))
  const { server } = createHttpServer(signer, { refused: () => undefined, failed: () => undefined })
  onTestFinished(() => void server.close())
  return listen(server, { socketPath: join(temporaryFolder('signer'), 'socket') })
}

const type = async (socket: string, ...words: string[]) => {
  const withSigner = { ...env, BURSAR_SIGNER: `unix:${socket}` }
  const { code, text } = await captured(() => runCommand(words, withSigner, null))
  return { code, text: text.trim() }
}

test("audit M-C4: another log than the database knows is reported, and accepted only by an operator's word", async () => {
  const [first, other] = [await serve(), await serve()]
  expect(await type(first, 'signer', 'log')).toMatchObject({
    code: 0,
    text: expect.stringMatching(
      /^signer log: 2 lines, head [0-9a-f]{64}; the database stores no line of it yet$/,
    ) as string,
  })
  await createLogMemory(db, () => 0).keep({ length: 2, head: 'ab'.repeat(32) })
  expect(await type(other, 'signer', 'log')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/the database stores line 2: .*log-cut-back.*does not hold line 2/) as string,
  })
  expect(await type(other, 'signer', 'accept-log', 'the disk is lost')).toMatchObject({ code: 2 })
  expect(await type(other, 'signer', 'accept-log', 'the disk is lost', '--yes')).toMatchObject({ code: 0 })
  expect(await type(other, 'signer', 'log')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/the database stores line 2: the log contains it$/) as string,
  })
  const { rows } = await sql<{
    by: string
    reason: string
  }>`select accepted_by as by, accepted_reason as reason from signer_log`.execute(db)
  expect(rows).toEqual([{ by: expect.stringMatching(/^cli:/) as string, reason: 'the disk is lost' }])
})
