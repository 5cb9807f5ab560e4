import { languageOf, renderProblem } from '@bursar/checkout'

/** Why a page can't be shown, as a page in the reader's language. */
export const problemPage = (
  { status, description, requestId }: { status: number; description: string; requestId: string },
  headers: Readonly<Record<string, string>>,
): { headers: Readonly<Record<string, string>>; body: string } => {
  const page = renderProblem({ status, description, requestId }, languageOf(undefined, headers['accept-language']))
  return { headers: page.headers, body: page.html }
}
