/**
 * What others may use of the signer: the client with its protocol, and the text that approvers sign. Nothing here, nor
 * anything it imports, touches a key; the signer itself is `main.ts`, a process of its own.
 */
export * from './client.ts'
