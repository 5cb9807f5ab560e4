import { Type } from 'typebox'
import { milliseconds, pageLimit } from '../fields.ts'
import { eventPage } from '../limits.ts'
import { Notification } from '../notifications/index.ts'
import { operation } from '../operation.ts'

export const EventRecord = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 1,
      description: "Position in the merchant's notifications; also in `x-event-sequence`",
    }),
    id: Type.String({ description: 'Identifier of the notification; also in `webhook-id`' }),
    objectId: Type.String({ description: 'The object of the notification: the `id` in `body`' }),
    kind: Type.String({ description: 'The `kind` in `body`' }),
    status: Type.String({ description: 'The `status` in `body`' }),
    createdAt: milliseconds('When the status changed'),
    body: Notification,
  },
  { title: 'EventRecord', description: 'A notification that was sent, or is being sent' },
)

export const EventPage = Type.Object(
  {
    events: Type.Array(EventRecord, { description: 'In the order of `sequence`' }),
    next: Type.Integer({
      minimum: 0,
      description: 'The `after` of the next call; the one given when there is nothing newer',
    }),
  },
  {
    title: 'EventPage',
    description: 'Notifications in order',
    examples: [{ events: [], next: 41 }],
  },
)

/** An addition of this project: lets a merchant that lost its data rebuild it. */
export const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/events',
  tag: 'Events',
  summary: 'List notifications',
  description:
    'Every notification of the merchant after a position, whether its delivery succeeded or not. Where those of past years were archived, the list begins with the oldest that is kept.',
  query: Type.Object({
    after: Type.String({
      pattern: '^\\d{1,15}$',
      description: 'Position to start behind, `0` for the beginning: a whole number',
    }),
    limit: Type.Optional(pageLimit('Most notifications in the answer', eventPage.default)),
  }),
  response: EventPage,
})
