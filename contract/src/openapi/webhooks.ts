import { headerPatterns, notificationHeaders } from '../headers.ts'
import { notifications } from '../notifications/index.ts'
import type { Json, SchemaCollector } from './schemas.ts'

const text = (pattern?: string) => ({ type: 'string', ...(pattern === undefined ? {} : { pattern }) })
const count = { type: 'integer', minimum: 1 }

const headers: readonly { key: keyof typeof notificationHeaders; schema: Json; description: string }[] = [
  { key: 'signature', schema: text(headerPatterns.signature), description: 'HMAC-SHA256 of MESSAGE, lowercase hex' },
  { key: 'timestamp', schema: text(headerPatterns.timestamp), description: 'Unix time of this attempt in seconds' },
  { key: 'webhookId', schema: text(), description: 'Identifies the notification: the same on every attempt' },
  { key: 'webhookTimestamp', schema: text(), description: 'Standard Webhooks: Unix time of this attempt in seconds' },
  { key: 'webhookSignature', schema: text(), description: 'Standard Webhooks: `v1,` and the signature in base64' },
  { key: 'deliveryAttempt', schema: count, description: '1 for the first attempt' },
  { key: 'eventSequence', schema: count, description: 'The `sequence` of the notification in `GET /merchants/events`' },
]

const parameterName = (key: string) => `Notification${key.charAt(0).toUpperCase()}${key.slice(1)}`

/** `components.parameters` of notifications. */
export const notificationParameters = (): Json =>
  Object.fromEntries(
    headers.map(({ key, schema, description }) => [
      parameterName(key),
      { name: notificationHeaders[key], in: 'header', required: true, description, schema },
    ]),
  )

/** `webhooks`: the requests to a merchant's endpoint, and its responses. */
export const webhooksOf = (collector: SchemaCollector): Json =>
  Object.fromEntries(
    notifications.map(({ name, summary, description, schema }) => [
      name,
      {
        post: {
          operationId: `${name}Notification`,
          tags: ['Notifications'],
          summary,
          description,
          security: [],
          parameters: headers.map(({ key }) => ({ $ref: `#/components/parameters/${parameterName(key)}` })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: collector.schema(schema, 'open') } },
          },
          responses: {
            '2XX': { description: 'Received' },
            default: { description: 'Not received: sent again after 10, 25, 40, 55 and then six times 60 minutes' },
          },
        },
      },
    ]),
  )
