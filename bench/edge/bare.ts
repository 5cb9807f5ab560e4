/**
 * The limit: bare node:http with the same checks by the same functions and a prepared response. The ratio measures what
 * the application adds (routing, limits, headers, logs, operations).
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { operationsById } from '@bursar/contract'
import { authenticate, checkTimestamp, readSignedHeaders } from '../../server/src/app/http/authentication.ts'
import { parseStrict } from '../../server/src/app/http/strict-json.ts'
import { readQuery, splitTarget } from '../../server/src/app/http/target.ts'
import { validationCodeOf, validatorOf } from '../../server/src/platform/api/validation.ts'
import type { MerchantDirectory } from '../../server/src/merchants/accounts/index.ts'

const CHECKED = ['createCryptoWithdrawal', 'createAddress', 'createCryptoInvoice', 'listBalances'] as const
const ANSWERS: Record<string, string> = {
  createCryptoWithdrawal: '{"id":"0195b0f0-0000-7000-8000-000000000000"}',
  createAddress: '{"address":"0x9858EfFD232B4033E47d90003D41EC34EcaEda94","blockchain":"ETHEREUM","meta":"customer 1"}',
  createCryptoInvoice:
    '{"id":"0195b0f0-0000-7000-8000-000000000000","url":"https://pay.example/invoices/crypto/0195b0f0-0000-7000-8000-000000000000"}',
  listBalances:
    '[{"value":"0.25","ticker":"BTC","converted":"16250.75"},{"value":"12.5","ticker":"USDT","converted":"12.5"}]',
}
const WINDOW = { maxAge: 600, maxAhead: 5 }

export const createBareServer = (directory: MerchantDirectory): Server => {
  const operations = new Map(
    CHECKED.map((id) => {
      const operation = operationsById[id]
      const code = validationCodeOf(operation)
      const names = Object.keys(operation.query?.properties ?? {})
      const query = operation.query && validatorOf(operation.query, code, 'the query')
      const body = operation.body && validatorOf(operation.body, code, 'the body')
      return [`${operation.method} ${operation.path}`, { code, names, query, body, answer: ANSWERS[id]! }]
    }),
  )
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const check = async (): Promise<string> => {
        const body = chunks.length === 0 ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
        const target = request.url!
        const { path, query } = splitTarget(target)
        const operation = operations.get(`${request.method} ${path}`)!
        const headers = readSignedHeaders(request)
        checkTimestamp(headers.timestamp, Date.now(), WINDOW)
        await authenticate(
          directory,
          headers,
          { method: request.method!, target, alsoSignedAs: undefined, body },
          Date.now(),
        )
        operation.query?.(readQuery(query, operation.names))
        operation.body?.(parseStrict(body!, operation.code))
        return operation.answer
      }
      check().then(
        (json) => answer(response, 200, json),
        (error: unknown) => answer(response, 400, JSON.stringify(String(error))),
      )
    })
  })
}

const answer = (response: ServerResponse, status: number, json: string): void => {
  response
    .writeHead(status, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(json))])
    .end(json)
}
