/** A refusal of a form that carries the other refusals of the same form. */
export interface FormRefusal extends Error {
  readonly reason: string
  others: readonly FormRefusal[]
}

/**
 * Runs every check of a form, so that its problems are reported together. Returns the results. If checks refuse, throws
 * the first refusal, with the others, one for each reason, in `others`. Other errors are thrown at once.
 */
export const checkAll = <Results extends readonly unknown[]>(
  isRefusal: (error: unknown) => error is FormRefusal,
  checks: { readonly [Place in keyof Results]: () => Results[Place] },
): Results => {
  const refusals: FormRefusal[] = []
  const results = checks.map((check) => {
    try {
      return check()
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (!refusals.some(({ reason }) => reason === error.reason)) refusals.push(error)
      return undefined
    }
  })
  const [first, ...others] = refusals
  if (first === undefined) return results as unknown as Results
  first.others = others
  throw first
}
