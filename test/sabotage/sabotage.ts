/**
 * One fault put into Bursar on purpose: a guard taken out, a fix of a review or of a dialect undone, or a bug that
 * another system had. `npm run sabotage` applies each alone and expects its finder to fail.
 */
export interface Sabotage {
  /** unique, in kebab-case */
  name: string
  /** path in the repository of the file that is changed */
  file: string
  /** A text that the file contains exactly once, and the text in its place. */
  replace: readonly [text: string, instead: string]
  /**
   * where the fault comes from: an id of docs/audit.md (`audit M-B1`), docs/dialects.md (`E-15`) or docs/faults.md
   * (`B11`), `P2` for a guard of the list in the catalogue of faults, `I7` for an incident of another system
   */
  fault: string
  /** the money that is lost or created, or the promise that is broken, in one sentence */
  breaks: string
  /** `path/of.test.ts › part of the title`: a test that fails because of it */
  finder: string
}
