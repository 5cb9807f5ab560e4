/** A thread that makes documents badly: it does what the id of a receipt says. Only tests of this module use it. */
import { parentPort } from 'node:worker_threads'
import type { DocumentRequest } from './request.ts'

const port = parentPort!

port.on('message', (request: DocumentRequest) => {
  const id = request.kind === 'receipt' ? request.receipt.id : request.kind
  if (id === 'dies') process.exit(3)
  if (id === 'throws') throw new Error('out of its wits')
  if (id === 'fails') return port.postMessage({ error: 'no such font' })
  if (id === 'hangs') for (;;);
  if (id === 'grows') {
    const all: number[][] = []
    for (;;) all.push(Array.from({ length: 1_000_000 }, Math.random))
  }
  port.postMessage({ bytes: Buffer.from(id) })
})
