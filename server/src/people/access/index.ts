/**
 * People of the dashboard: who they are, how they sign in, and for which merchants. Guarantees:
 * - the database has only hashes of the secrets of cookies and links, and encrypted secrets of one-time codes;
 * - an answer of a passkey, a one-time code, a recovery code and an invitation are each accepted once;
 * - a refused sign-in shows neither by its text nor by its work whether an address is known;
 * - every change is in the audit log, in its transaction, and a person is mailed about each new way to sign in;
 * - dangerous changes need a proof within the last five minutes;
 * - a command of a member checks in its own transaction what the role of the member allows.
 */
export { authoriseSession, recordOf } from './acting.ts'
export { createBuckets } from './attempts.ts'
export {
  actorOf,
  auditPage,
  listPersonActions,
  newestAction,
  readAudit,
  record,
  wasRecorded,
  type MerchantAction,
} from './audit.ts'
export { browserOf, shownAgent } from './browsers.ts'
export { createChallenges } from './challenges.ts'
export { countRecoveryCodes, countSealedSeeds, hasPassword, listPasskeys, resealSeeds } from './credentials.ts'
export type { Passkey } from './credentials.ts'
export { createDevices, type Devices } from './devices.ts'
export { findInvitation, invite, resetAccess } from './invitations.ts'
export type { Invited, OpenInvitation } from './invitations.ts'
export { hasTeam, listMembers, removeMember } from './members.ts'
export {
  acceptByPasskey,
  acceptByPassword,
  acceptSignedIn,
  joiningPersonId,
  joinPurpose,
  type Joined,
  type JoinProblem,
} from './joining.ts'
export { notifyOwners } from './notices.ts'
export { nowOf, type Now } from './now.ts'
export { creationOptions, relyingPartyOf, requestOptions } from './passkeys.ts'
export { createPasswords, PasswordsBusy } from './passwords.ts'
export type { InvitationLine } from './open-invitations.ts'
export { addressOf, emailsOf, memberSince, membershipOf, membershipsOf, type Membership, type Place } from './people.ts'
export { can, managing, mayRole, NotAllowed, PERMISSIONS, type Action } from './permissions.ts'
export { ProofNeeded } from './proofs.ts'
export {
  createKey,
  createKeyAsOperator,
  KeyProblem,
  readKeys,
  revokeKeyAsOperator,
  revokeKeyOf,
  type KeyTrouble,
  type ShownKey,
} from './keys.ts'
export {
  changeEndpointOf,
  createEndpoint,
  createEndpointAsOperator,
  EndpointProblem,
  removeEndpointAsOperator,
  removeEndpointOf,
  rotateEndpointOf,
  shownChoices,
  type EndpointTrouble,
} from './webhook-endpoints.ts'
export { isRole, ROLES, type Role } from './roles.ts'
export {
  addPasskey,
  addPurpose,
  endOneSession,
  endOtherSessions,
  proveByPasskey,
  proveByPassword,
  provePurpose,
  removePasskey,
  renewRecoveryCodes,
  setPassword,
} from './security.ts'
export { findSession, isOpen, listSessions, type Session, type SessionLine } from './sessions.ts'
export { SIGN_IN, signInByPasskey, signInByPassword, type SignInDeps, type TypedProof } from './signing-in.ts'
export {
  changeRole,
  inviteMember,
  lockTeam,
  readTeam,
  removeFromTeam,
  resendInvitation,
  TeamProblem,
  withdrawInvitation,
  type TeamMember,
  type TeamTrouble,
} from './team.ts'
export { codeOf, SEED_BYTES, setUpUri, stepOf } from './totp.ts'
export { base32 } from './tokens.ts'
