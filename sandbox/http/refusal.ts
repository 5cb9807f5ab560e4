/** Thrown for a request that the sandbox refuses. The description says what to send instead. */
export class Refusal extends Error {
  readonly status: number
  readonly code: number

  constructor(description: string, { status = 400, code = 100 }: { status?: number; code?: number } = {}) {
    super(description)
    this.name = 'Refusal'
    this.status = status
    this.code = code
  }
}
