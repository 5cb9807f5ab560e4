import type { Scene } from './panel.ts'
import type { FormProblem } from './view.ts'

/** Describes the faults of a form, for the payer. */
export const problemText = ({ words, amount }: Scene, problem: FormProblem): string => {
  switch (problem.field) {
    case 'email':
      return problem.why === 'missing' ? words.emailMissing : words.emailMalformed
    case 'choice':
      return words.choiceMissing
    case 'address':
      return problem.why === 'missing' ? words.addressMissing : words.addressMalformed
    case 'form':
      return problem.why === 'gone' ? words.formGone : words.formTryAgain
    case 'value':
      if (problem.why === 'limits')
        return problem.most
          ? words.valueLimits(amount(problem.least), amount(problem.most))
          : words.valueAtLeast(amount(problem.least))
      return problem.why === 'missing' ? words.valueMissing : words.valueMalformed
  }
}
