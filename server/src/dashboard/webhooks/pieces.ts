import type { Markup } from '@bursar/checkout/html'
import type { DeliveryState } from '../../merchants/webhooks/index.ts'
import { toneTag } from '../frame/index.ts'
import type { WebhookWords } from './words/index.ts'

const TONES = { delivered: 'good', due: 'calm', failing: 'warn', exhausted: 'bad' } as const

/** The state of a delivery in words. */
export const stateTag = (state: DeliveryState, { states }: WebhookWords): Markup => toneTag(TONES[state], states[state])
