/** Describes why a connection to a counterparty (node, acquirer and so on) failed, and what to change. */

const UNTRUSTED =
  "the server's certificate is signed by no authority that this machine trusts: add its authority by NODE_EXTRA_CA_CERTS"
const NO_TLS = 'the server speaks no TLS at this port: is it http, not https, or another port?'
const NO_HTTP = 'the server answers no HTTP at this port: is it https, not http, or another port?'

/** Codes of Node's net, dns and tls modules, of OpenSSL, of llhttp and of undici. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: check the host and the port, and whether the server runs',
  ENOTFOUND: 'there is no such host: check its name',
  EAI_AGAIN: "the name server does not answer: check this machine's DNS",
  EHOSTUNREACH: 'there is no route to the host: check the address and the network',
  ENETUNREACH: 'there is no route to the host: check the address and the network',
  ETIMEDOUT: 'no connection came about in time: does a firewall drop it?',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time: does a firewall drop it?',
  ECONNRESET: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  CERT_HAS_EXPIRED: "the server's certificate has expired, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet: is this machine's clock wrong?",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host name: check the host",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_HTTP_REQUEST: NO_TLS,
  HPE_INVALID_CONSTANT: NO_HTTP,
  HPE_INVALID_VERSION: NO_HTTP,
}

/**
 * Returns the code of a failed connection, with advice where there is any. Never includes the error's own message,
 * which may quote sent or received data.
 */
export const describeConnectionError = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException
  if (code === undefined) return name ?? 'unknown error'
  return Object.hasOwn(ADVICE, code) ? `${code} (${ADVICE[code]})` : code
}

/** Whether a body is a web page, as returned by a proxy or for a wrong path instead of JSON. */
export const isWebPage = (text: string): boolean => /^\s*<(!doctype|html|\?xml|head|body)/i.test(text)
