/** Why a page can't be shown, as a page. */
export const problemPage = ({ status, description }: { status: number; description: string }): { headers: Readonly<Record<string, string>>; body: string } => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title></head><body><main><h1>${status}</h1><p>${escape(description)}</p></main></body></html>`,
})

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
