/** The thread that makes documents. Its input is a request, its output the document's bytes or an error message. */
import { parentPort } from 'node:worker_threads'
import { makeDocument, type DocumentRequest } from './request.ts'

const port = parentPort!

port.on('message', (request: DocumentRequest) => {
  makeDocument(request).then(
    (bytes) => port.postMessage({ bytes }),
    (error: unknown) => port.postMessage({ error: error instanceof Error ? error.message : String(error) }),
  )
})
