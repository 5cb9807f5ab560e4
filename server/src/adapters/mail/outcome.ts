import type { SendOutcome } from './port.ts'

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

const LONGEST_REASON = 200
/** Makes a mail server's text safe for a log or a table. Addresses in it are masked. */
const printable = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .replaceAll(/([^\s<>@])[^\s<>@]*@(?=[^\s<>@])/gu, '$1***@')
    .trim()
    .slice(0, LONGEST_REASON)

/**
 * Classifies a failure. A refusal of the receiver or the message concerns this mail only; any other failure concerns
 * the server and so every mail.
 * @param begun whether the transfer of the mail had begun
 */
export const outcomeOf = (failure: unknown, begun: boolean): SendOutcome => {
  const error = failure as SmtpError
  const reason = printable(error.message)
  const { code = '', command = '', responseCode } = error
  const aboutThisMail = command.startsWith('RCPT TO') || command === 'DATA'
  if (responseCode !== undefined && responseCode >= 400) {
    if (!aboutThisMail || responseCode === 421) return { kind: 'down', reason, mayHaveArrived: false }
    return responseCode >= 500 ? { kind: 'refused', reason } : { kind: 'later', reason, mayHaveArrived: false }
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return { kind: 'refused', reason }
  return { kind: 'down', reason, mayHaveArrived: begun }
}
