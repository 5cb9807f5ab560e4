import { describe, expect, test } from 'vitest'
import { moveOf } from '../../platform/base/moves.ts'
import { invoiceMoves, isOpen, type InvoiceEffect, type InvoiceEvent, type InvoiceState } from './machine.ts'

const states = Object.keys(invoiceMoves) as InvoiceState[]
const events: InvoiceEvent[] = ['proceeded', 'seen', 'completed', 'closed', 'ranOut']

describe('the table of invoices', () => {
  test('ends in paid, and only there', () => {
    expect(states.filter((state) => Object.keys(invoiceMoves[state]).length === 0)).toEqual(['paid'])
  })

  test('notifies each end exactly when it is reached, and PENDING exactly on the way to an address', () => {
    const wanted: Partial<Record<InvoiceState, InvoiceEffect>> = {
      registered: 'notifyPending',
      paid: 'notifyDone',
      expired: 'notifyExpired',
    }
    for (const state of states) {
      for (const event of events) {
        const move = moveOf(invoiceMoves, state, event)
        if (!move) continue
        const tells = wanted[move.to]
        expect([state, event, move.effects]).toEqual([state, event, tells === undefined ? [] : [tells]])
      }
    }
  })

  test('never comes back to an open state', () => {
    for (const state of states.filter((one) => !isOpen(one))) {
      for (const event of events) expect(isOpen(moveOf(invoiceMoves, state, event)?.to ?? state)).toBe(false)
    }
  })

  test('time ends every open state, and only these', () => {
    expect(states.filter((state) => moveOf(invoiceMoves, state, 'ranOut') !== undefined)).toEqual(states.filter(isOpen))
  })
})
