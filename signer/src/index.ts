/**
 * The public interface of the signer for other packages: the client with its protocol, and the text that approvers
 * sign. Neither this file nor anything it imports accesses a key. The signer itself is `main.ts`, a separate process.
 */
export * from './client.ts'
