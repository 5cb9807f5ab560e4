import type { DeliveryState } from '../../../merchants/webhooks/index.ts'

/** The texts of the pages about webhooks. Every language must have these keys, or it does not compile. */
export interface WebhookWords {
  endpoint: string
  url: string
  noUrl: string
  noUrlText: string
  lastAccepted: string
  lastRefused: string
  never: string
  waiting: string
  /** of the newest attempts, how many were not accepted */
  refused: (refused: number, attempts: number) => string
  /** objects with notifications to deliver; `failing` of them after failed attempts */
  waitingCount: (count: string, failing: string) => string
  sendNow: string
  sendNowText: string
  notifications: string
  notification: string
  number: string
  type: string
  object: string
  objectHint: string
  state: string
  states: Record<DeliveryState, string>
  sent: string
  nextAttempt: string
  waitsForRestart: string
  none: string
  noneText: string
  noneFit: string
  noneFitText: string
  searchOn: string
  back: string
  body: string
  headers: string
  headersText: string
  attempts: string
  noAttempts: string
  attemptsText: string
  attempt: string
  answer: string
  duration: string
  milliseconds: (count: number) => string
  accepted: string
  noAnswer: string
  replay: string
  replayText: string
  payment: string
  scheduled: string
  alreadyWaiting: string
  changedMeanwhile: string
  gone: string
  woken: (count: number) => string
  change: string
  urlTitle: string
  urlText: string
  clear: string
  clearText: string
  save: string
  saved: string
  unchanged: string
  urlWrong: string
  changedElsewhere: string
  proveFirst: string
  test: string
  testText: string
  sendTest: string
  testAsked: string
  testLimited: string
  testNoUrl: string
  testWaiting: string
  testUnsent: string
  testNone: string
  reload: string
}

export const en: WebhookWords = {
  endpoint: 'Endpoint',
  url: 'URL',
  noUrl: 'No URL yet',
  noUrlText: 'Notifications are stored, and are sent as soon as there is a URL.',
  lastAccepted: 'Last accepted',
  lastRefused: 'Last not accepted',
  never: 'none among the newest attempts',
  waiting: 'Waiting',
  refused: (refused, attempts) => `${refused} of the newest ${attempts} attempts were not accepted`,
  waitingCount: (count, failing) => `${count} objects, of these ${failing} after failed attempts`,
  sendNow: 'Send everything waiting now',
  sendNowText: 'After your endpoint works again. Each notification gets all its attempts again.',
  notifications: 'Notifications',
  notification: 'Notification',
  number: 'Number',
  type: 'Type',
  object: 'Identifier of the object',
  objectHint: 'Of the invoice, deposit, payout or exchange, complete.',
  state: 'State',
  states: { delivered: 'Delivered', due: 'To be sent', failing: 'Failing', exhausted: 'All attempts failed' },
  sent: 'Sent',
  nextAttempt: 'Next attempt',
  waitsForRestart: 'not before it is sent again, or your endpoint accepts another notification',
  none: 'No notifications yet',
  noneText: 'Each change of a payment sends one. It is listed here at once.',
  noneFit: 'No notification fits',
  noneFitText: 'Change or clear the filters.',
  searchOn: 'Nothing fits so far. Older ones were not searched yet: go on with “Older”.',
  back: 'All notifications',
  body: 'Body',
  headers: 'Headers',
  headersText: 'The signatures and times of each attempt are new; they are not stored.',
  attempts: 'Attempts',
  noAttempts: 'It was not sent yet, or its attempts are older than 90 days.',
  attemptsText: 'Attempts are stored for 90 days, with the first 200 characters of an answer that does not accept.',
  attempt: 'Attempt',
  answer: 'Answer',
  duration: 'Duration',
  milliseconds: (count) => `${count} ms`,
  accepted: 'accepted',
  noAnswer: 'no answer',
  replay: 'Send again',
  replayText: 'The same body with the same identifier. Later notifications of the object that still wait follow.',
  payment: 'Payment',
  scheduled: 'It is sent again now. Reload the page to see the attempt.',
  alreadyWaiting: 'It already waits to be sent now. Reload the page to see the attempt.',
  changedMeanwhile: 'It was sent meanwhile: look at its newest attempt. Nothing was done.',
  gone: 'There is no such notification any more.',
  woken: (count) => `Notifications of ${count} objects are sent now.`,
  change: 'Change the URL',
  urlTitle: 'URL of notifications',
  urlText:
    'Notifications go to this URL only. It is on https, has a public address, and has no password. The owners of the merchant are mailed about a change.',
  clear: 'Send nothing',
  clearText: 'Notifications are stored meanwhile, and are sent as soon as there is a URL again.',
  save: 'Save',
  saved: 'The URL is saved. It takes effect with the next notification.',
  unchanged: 'This is the URL already.',
  urlWrong:
    'This is no URL of an endpoint: write an address such as https://shop.example/hooks, without a user name, password or #.',
  changedElsewhere: 'The URL was changed meanwhile. Compare it with yours, and save again.',
  proveFirst: 'Confirm first that it is you. Nothing was changed.',
  test: 'Test',
  testText:
    'Sends a notification of the type Test to the URL, signed as all others. It has no number, is not repeated, and is not in the list.',
  sendTest: 'Send a test',
  testAsked: 'The test is sent. Reload the page to see the answer.',
  testLimited: 'At most 30 tests are sent within an hour. Try again later.',
  testNoUrl: 'Set a URL first.',
  testWaiting: 'It is being sent. Reload the page to see the answer.',
  testUnsent: 'It could not be sent: no worker of the installation finished it.',
  testNone: 'No test was sent yet.',
  reload: 'Reload',
}
