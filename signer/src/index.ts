/**
 * What the rest of the system may use of the signer: its protocol and a client. Nothing here, nor anything it imports,
 * touches a key; the signer itself is `main.ts`, a process of its own.
 */
export { approvalMessage } from './approval.ts'
export { SignerClient, SignerUnavailable } from './client.ts'
export type { SignerAddress, SignerRefusal } from './client.ts'
export { REFUSALS } from './refusal.ts'
export type { RefusalCode } from './refusal.ts'
export type {
  AccountKeys,
  Approval,
  Intent,
  KeyReference,
  PublicKeys,
  Purpose,
  SignAnswer,
  SignRequest,
  SignerStatus,
  VelocityUse,
} from './protocol.ts'
