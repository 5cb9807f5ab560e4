import { headerPatterns, requestHeaders } from './headers.ts'
import { sharedAnswers } from './openapi/answers.ts'
import { pathsOf } from './openapi/paths.ts'
import { schemaCollector } from './openapi/schemas.ts'
import type { Json } from './openapi/schemas.ts'
import {
  idempotencyKeyText,
  introduction,
  keyIdText,
  notificationsText,
  signatureText,
  timestampText,
} from './openapi/text.ts'
import { notificationParameters, webhooksOf } from './openapi/webhooks.ts'
import { tags } from './tags.ts'
import { apiVersion } from './version.ts'

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Json
  readonly servers: readonly Json[]
  readonly tags: readonly Json[]
  readonly paths: Json
  readonly webhooks: Json
  readonly components: Json
}

const headerKey = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description })

const securitySchemes = {
  merchantId: headerKey(requestHeaders.merchantId, 'Merchant identifier, a UUID.'),
  signature: headerKey(requestHeaders.signature, signatureText),
  timestamp: headerKey(requestHeaders.timestamp, timestampText),
}

const headers = {
  RequestId: { description: "Names the request in the server's logs", schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before trying again', schema: { type: 'integer', minimum: 0 } },
}

const idempotencyKey = {
  name: requestHeaders.idempotencyKey,
  in: 'header',
  required: false,
  description: idempotencyKeyText,
  schema: { type: 'string', pattern: headerPatterns.idempotencyKey },
}

const keyId = {
  name: requestHeaders.keyId,
  in: 'header',
  required: false,
  description: keyIdText,
  schema: { type: 'string', pattern: headerPatterns.keyId },
}

/**
 * The OpenAPI 3.1 document of the API, the same on every call.
 * @param serverUrl origin of the API, for tools that send requests from the document; `/` is the document's own origin
 */
export const openApiDocument = (serverUrl = '/'): OpenApiDocument => {
  const collector = schemaCollector()
  const paths = pathsOf(collector)
  const webhooks = webhooksOf(collector)
  const responses = sharedAnswers(collector)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bursar merchant API',
      version: apiVersion,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: [
      ...Object.entries(tags).map(([name, description]) => ({ name, description })),
      { name: 'Notifications', description: notificationsText },
    ],
    paths,
    webhooks,
    components: {
      schemas: collector.components(),
      responses,
      parameters: { IdempotencyKey: idempotencyKey, KeyId: keyId, ...notificationParameters() },
      headers,
      securitySchemes,
    },
  }
}
