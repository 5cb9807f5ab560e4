/** An outcome the caller must handle: a stable code to branch on, and a message that states what to do. */
export interface Refused<Code extends string> {
  refused: Code
  message: string
}

export function refuse<Code extends string>(refused: Code, message: string): Refused<Code> {
  return { refused, message }
}

export function isRefused<Answer extends object>(answer: Answer): answer is Extract<Answer, { refused: string }> {
  return 'refused' in answer
}
