/** The thread that makes documents: a request in, the document's bytes or what went wrong out. */
import { parentPort } from 'node:worker_threads'
import { makeDocument, type DocumentRequest } from './request.ts'

const port = parentPort!

port.on('message', (request: DocumentRequest) => {
  makeDocument(request).then(
    (bytes) => port.postMessage({ bytes }),
    (error: unknown) => port.postMessage({ error: error instanceof Error ? error.message : String(error) }),
  )
})
