import { languageOf, renderProblem } from '@bursar/checkout'

/** Returns a page, in the reader's language, that explains why the requested page can't be shown. */
export const problemPage = (
  { status, description, requestId }: { status: number; description: string; requestId: string },
  headers: Readonly<Record<string, string>>,
): { headers: Readonly<Record<string, string>>; body: string } => {
  const page = renderProblem({ status, description, requestId }, languageOf(undefined, headers['accept-language']))
  return { headers: page.headers, body: page.html }
}
